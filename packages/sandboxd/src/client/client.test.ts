import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sandboxdProtocol } from "../api.ts";
import { Sandboxd } from "./client.ts";

/** Answers as sandboxd did when its status said less, and ends when it is asked to. */
const older = `
  const status = { protocol: 1, version: "0.0.1", pid: process.pid, startedAt: new Date().toISOString(), sandboxes: [] };
  const server = require("node:http").createServer((request, response) => {
    response.end(JSON.stringify(status));
    if (request.url === "/stop") process.exit(0);
  });
  server.listen(process.argv[1], () => console.log("listens"));
`;

test("one of an older protocol is replaced", async () => {
  const home = mkdtempSync(join(tmpdir(), "ot-older-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const sandboxd = new Sandboxd({ ...process.env, OPENTIGER_HOME: home });
  mkdirSync(dirname(sandboxd.paths.socket), { recursive: true });
  const daemon = spawn(process.execPath, ["-e", older, sandboxd.paths.socket], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void daemon.kill("SIGKILL"));
  const ended = once(daemon, "exit");
  await once(daemon.stdout, "data");
  onTestFinished(async () => void (await sandboxd.stop()));
  await sandboxd.ensure();
  expect(await sandboxd.status()).toMatchObject({ protocol: sandboxdProtocol, hostRuns: 0 });
  expect(await ended).toEqual([0, null]);
});

test("whoever would start one with a setting that it refuses is told so", async () => {
  const home = mkdtempSync(join(tmpdir(), "ot-refused-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const sandboxd = new Sandboxd({ ...process.env, OPENTIGER_HOME: home, OPENTIGER_DISK_FLOOR: "2gig" });
  await expect(sandboxd.ensure()).rejects.toMatchObject({ code: "config_invalid" });
});
