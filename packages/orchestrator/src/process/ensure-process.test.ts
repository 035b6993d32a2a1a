import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { opentigerVersion } from "@opentiger/schema";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ensureProcess } from "./ensure-process.ts";
import { ProcessClient, processStatus } from "./process-client.ts";

let folder: string;
let started: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ot-ensure-"));
  started = [];
});

afterEach(() => {
  for (const child of started) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** Makes sure of a process whose nth start runs the nth of these, and the last of them from then on. */
function ensured(...scripts: readonly string[]) {
  const [socket, log] = [join(folder, "it.sock"), join(folder, "it.log")];
  const client = new ProcessClient({ name: "dispatcher", socket, log, shape: processStatus });
  const start = (): ChildProcess => {
    const script = scripts[Math.min(started.length, scripts.length - 1)] ?? "";
    const child = spawn(process.execPath, ["--eval", script, socket, opentigerVersion]);
    started.push(child);
    return child;
  };
  return ensureProcess({ client, log, start, complaint: () => new Error("it did not start") });
}

const killed = 'process.kill(process.pid, "SIGKILL")';
const ready = `const [socket, version] = process.argv.slice(1);
const status = { version, pid: process.pid, startedAt: new Date().toISOString(), ready: true };
require("node:http").createServer((_, answer) => answer.end(JSON.stringify(status))).listen(socket)`;

it("a process that was killed while it started is followed by another", async () => {
  const { status } = await ensured(killed, ready);
  expect(started).toHaveLength(2);
  expect(status.pid).toBe(started[1]?.pid);
});

it("one that is killed again and again is given up, as is one that ends with a failure", async () => {
  await expect(ensured(killed)).rejects.toThrow("it did not start");
  expect(started).toHaveLength(3);
  started.length = 0;
  await expect(ensured("process.exit(3)")).rejects.toThrow("it did not start");
  expect(started).toHaveLength(1);
});
