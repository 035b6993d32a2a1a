import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Sandboxd } from "@opentiger/sandboxd";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SandboxdSockets } from "./sandboxd-sockets.ts";

/** No socket of anybody's. */
const nobodys = "1";

let home: string;
let answer: string;
let sockets: SandboxdSockets;
const server = createServer((_request, response) => response.end(answer));

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "ot-sockets-"));
  sockets = new SandboxdSockets(new Sandboxd({ OPENTIGER_HOME: home }));
});

afterEach(() => {
  server.close();
  rmSync(home, { recursive: true, force: true });
});

/** In the place of the daemon, for its answers alone. */
async function listening(): Promise<void> {
  const { socket } = new Sandboxd({ OPENTIGER_HOME: home }).paths;
  mkdirSync(dirname(socket), { recursive: true });
  server.listen(socket);
  await once(server, "listening");
}

const statusOf = (pid: number | undefined) =>
  JSON.stringify({ protocol: 1, version: "0.1.0", pid, startedAt: "", sandboxes: [] });

describe("a connection from this machine", () => {
  it("is not sandboxd's where none runs", async () => {
    expect(await sockets.has(nobodys)).toBe(false);
  });

  it("is refused where sandboxd runs and cannot be asked which one it is", async () => {
    answer = "nonsense";
    await listening();
    await expect(sockets.has(nobodys)).rejects.toMatchObject({ code: "sandboxd_unavailable" });
  });

  it("is told apart by the sandboxd that was seen while that one runs, and refused when it is gone", async () => {
    const seen = spawn("sleep", ["1000"]);
    const ended = once(seen, "exit");
    answer = statusOf(seen.pid);
    await listening();
    expect(await sockets.has(nobodys)).toBe(false);
    answer = "nonsense";
    expect(await sockets.has(nobodys)).toBe(false);
    seen.kill("SIGKILL");
    await ended;
    await expect(sockets.has(nobodys)).rejects.toMatchObject({ code: "sandboxd_unavailable" });
  });
});
