import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Sandboxd } from "@opentiger/sandboxd";
import { expect, onTestFinished, test } from "vitest";
import { takeDown } from "./take-down.ts";

test("a sandboxd that cannot be asked is left and told of, and all else is ended", async () => {
  const home = mkdtempSync(join(tmpdir(), "ot-down-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const env = { OPENTIGER_HOME: home };
  const { socket } = new Sandboxd(env).paths;
  mkdirSync(dirname(socket), { recursive: true });
  const server = createServer((_request, response) => response.end("{}"));
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(() => void server.close());
  expect(await takeDown(env, { drain: false, say: () => {} })).toEqual({
    server: false,
    processes: [],
    sandboxd: false,
    trouble: expect.stringContaining("sandboxd was not stopped"),
    database: false,
    goOn: 0,
  });
});
