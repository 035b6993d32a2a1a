import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HostBackend, openState, type Sandbox } from "@opentiger/sandbox";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runCommand } from "./run-command.ts";

let folder: string;
let backend: HostBackend;
let sandbox: Sandbox;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ot-command-"));
  mkdirSync(join(folder, "project"));
  backend = new HostBackend(openState(join(folder, "state")));
  const workspaces = [{ path: join(folder, "project"), readOnly: false }];
  sandbox = await backend.create({ name: "commands", agent: "shell", workspaces });
});

afterAll(async () => {
  await sandbox.close();
  await backend.reset();
  rmSync(folder, { recursive: true, force: true });
});

it("a command is left when that is asked for at the very moment in which it has begun, and runs on", async () => {
  const stop = new AbortController();
  const opening = Object.create(sandbox, {
    exec: {
      value: async (...asked: Parameters<Sandbox["exec"]>) => {
        const execution = await sandbox.exec(...asked);
        stop.abort(new Error("not ours any more"));
        return execution;
      },
    },
  }) as Sandbox;
  const running = runCommand(opening, {
    command: ["sleep", "1000"],
    cwd: join(folder, "project"),
    env: {},
    timeoutMs: 1_000_000,
    id: "left-at-once",
    stdoutBytes: 0,
    signal: stop.signal,
  });
  await expect(running).rejects.toThrow("not ours any more");
  expect(await sandbox.execs()).toMatchObject([{ id: "left-at-once", exit: null }]);
});
