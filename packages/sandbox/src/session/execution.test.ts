import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { duplexPair } from "node:stream";
import type { ExecSpec } from "@opentiger/schema";
import { describe, expect, it } from "vitest";
import { until } from "../../../../tests/setup/until.ts";
import { encodeJson, frameType } from "../protocol/frames.ts";
import type { Execution } from "../sandbox.ts";
import type { SupervisorConfig } from "../supervisor/config.ts";
import { serveExecStream } from "../supervisor/exec-stream.ts";
import { ExecTable } from "../supervisor/exec-table.ts";
import { Launcher } from "../supervisor/launch.ts";
import { openExecution } from "./execution.ts";

/** Real commands under the real supervisor code, in host mode, over a pair of streams. */
const config: SupervisorConfig = {
  isolation: "none",
  agentUid: process.getuid?.() ?? 0,
  agentGid: process.getgid?.() ?? 0,
  home: tmpdir(),
  workDir: tmpdir(),
  carrierDir: null,
  controlSocket: null,
  prepare: null,
};

describe("an exec over a stream", () => {
  it("keeps stdout and stderr apart, byte for byte, and gives the exit code", async () => {
    const execution = await open(new ExecTable(new Launcher(config)), {
      command: ["sh", "-c", "printf 'a\\000b'; printf 'c\\377' >&2; exit 7"],
    });
    expect(await read(execution)).toEqual({ stdout: "610062", stderr: "63ff" });
    expect(await execution.exit).toEqual({ code: 7, signal: null, reason: "exited" });
  });

  it("passes stdin through a command that copies it, far beyond every buffer", async () => {
    const execution = await open(new ExecTable(new Launcher(config)), { command: ["cat"], stdin: true });
    const sent = Buffer.alloc(12 * 1024 * 1024, "0123456789");
    execution.stdin.end(sent);
    let received = 0;
    for await (const chunk of execution.output()) {
      expect(chunk.offset).toBe(received);
      expect(chunk.data.equals(sent.subarray(received, received + chunk.data.length))).toBe(true);
      received += chunk.data.length;
    }
    expect(received).toBe(sent.length);
  });

  it("is resumed by another stream where the first one stopped, without a byte lost or doubled", async () => {
    const table = new ExecTable(new Launcher(config));
    const command = ["sh", "-c", "i=0; while [ $i -lt 3000 ]; do echo $i; i=$((i+1)); done"];
    const first = await open(table, { command });
    let have = "";
    for await (const chunk of first.output()) {
      have += chunk.data.toString("latin1");
      if (have.length > 2000) break;
    }
    first.detach();
    const second = await attach(table, first.id, have.length);
    for await (const chunk of second.output()) have += chunk.data.toString("latin1");
    expect(have.trim().split("\n").map(Number)).toEqual(Array.from({ length: 3000 }, (_, index) => index));
    expect((await second.exit).code).toBe(0);
  });

  it("goes on for a reader that has all that a full spool holds, though nobody acknowledged it", async () => {
    const table = new ExecTable(new Launcher(config));
    const command = ["sh", "-c", "head -c 400000 /dev/zero"];
    const first = await open(table, { command, spoolBytes: 1_000 });
    const { value } = await first.output()[Symbol.asyncIterator]().next();
    let have = value?.data.length ?? 0;
    first.detach();
    await until("it has said all of it", () => table.list()[0]?.stdout === have);
    const second = await attach(table, first.id, have);
    for await (const chunk of second.output()) have += chunk.data.length;
    expect(have).toBe(400_000);
  });

  it("opened twice under one id runs once", async () => {
    const table = new ExecTable(new Launcher(config));
    const spec = { id: "same-id-twice", command: ["sh", "-c", "echo $$"] };
    const first = await read(await open(table, spec));
    const second = await attach(table, spec.id, 0).catch((error: unknown) => error);
    expect(second).toBeInstanceOf(Error);
    expect(table.list()).toHaveLength(1);
    expect(first.stdout.length).toBeGreaterThan(0);
  });

  it("blocks the writer when nobody reads, instead of growing", async () => {
    const table = new ExecTable(new Launcher(config));
    const execution = await open(table, {
      command: ["sh", "-c", "head -c 50000000 /dev/zero"],
      spoolBytes: 100_000,
    });
    await until("it has said something", () => (table.list()[0]?.stdout ?? 0) > 0);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(table.list()[0]?.stdout).toBeLessThan(5_000_000);
    let received = 0;
    for await (const chunk of execution.output()) received += chunk.data.length;
    expect(received).toBe(50_000_000);
  });

  it("that is killed while nobody reads has ended, and what it wrote can still be read", async () => {
    const table = new ExecTable(new Launcher(config));
    const execution = await open(table, { command: ["yes"], spoolBytes: 100_000 });
    await until("it has said enough", () => (table.list()[0]?.stdout ?? 0) >= 100_000);
    await execution.kill();
    await until("it has ended", () => table.list()[0]?.exit !== null);
    let received = 0;
    for await (const chunk of execution.output()) received += chunk.data.length;
    expect(received).toBe(table.list()[0]?.stdout);
    expect(await execution.exit).toMatchObject({ signal: "SIGKILL", reason: "killed" });
  });

  it("ends with the command, although a grandchild keeps the pipe open, and a kill takes that one too", async () => {
    const execution = await open(new ExecTable(new Launcher(config)), {
      command: ["sh", "-c", "setsid sleep 1000 & echo $!"],
    });
    const pid = Number(Buffer.from((await read(execution)).stdout, "hex").toString());
    expect((await execution.exit).code).toBe(0);
    expect(alive(pid)).toBe(true);
    const table = new ExecTable(new Launcher(config));
    const killed = await open(table, {
      command: ["sh", "-c", "(setsid setsid sleep 1000 & echo $!); sleep 1000"],
    });
    const chunks = killed.output()[Symbol.asyncIterator]();
    const first = await chunks.next();
    const escaped = Number(first.value?.data.toString());
    await killed.kill("SIGKILL");
    expect(await killed.exit).toEqual({ code: null, signal: "SIGKILL", reason: "killed" });
    await until("the escaped one is gone", () => !alive(escaped));
    process.kill(pid, "SIGKILL");
  });

  it("gives a command stdout and stderr that it can open by name, as scripts do", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ot-pipes-"));
    const launcher = new Launcher({ ...config, carrierDir: folder });
    await launcher.ready;
    const script = "echo one > /dev/stdout; echo oops > /dev/stderr; echo two | tee /dev/stderr";
    const execution = await open(new ExecTable(launcher), { command: ["sh", "-c", script] });
    const { stdout, stderr } = await read(execution);
    expect(Buffer.from(stdout, "hex").toString()).toBe("one\ntwo\n");
    expect(Buffer.from(stderr, "hex").toString()).toBe("oops\ntwo\n");
    rmSync(folder, { recursive: true });
  });

  it("says that time was up", async () => {
    const execution = await open(new ExecTable(new Launcher(config)), {
      command: ["sleep", "1000"],
      timeoutMs: 50,
    });
    expect(await execution.exit).toMatchObject({ reason: "timeout" });
  });

  it("refuses what cannot be run, with a code", async () => {
    const table = new ExecTable(new Launcher(config));
    await expect(open(table, { command: ["no-such-command"] })).rejects.toMatchObject({
      code: "command_not_found",
    });
    await expect(open(table, { command: ["true"], cwd: "/no/such" })).rejects.toMatchObject({
      code: "workspace_missing",
    });
  });

  it("a refusal with a code that we do not know is an error that can be told like any other", async () => {
    const [host, inside] = duplexPair();
    const opening = openExecution(host, { open: { id: "of-a-newer-one", command: ["true"] } });
    const refusal = { code: "from_the_future", message: "not here" };
    for (const part of encodeJson(frameType.refused, refusal)) inside.write(part);
    await expect(opening).rejects.toMatchObject({ code: "internal", message: "not here", exitCode: 125 });
  });

  it("refuses a reader whose output had to make room, also one that opens it again, and runs nothing twice", async () => {
    const table = new ExecTable(new Launcher(config));
    const spec = { id: "made-room-for-others", command: ["sh", "-c", "echo early; exit 3"] };
    const { exec } = await table.open(spec);
    await until("it has ended", () => exec.exit !== null);
    exec.spool.discard();
    const refusal = { code: "exec_not_found", message: expect.stringContaining("made room") };
    await expect(attach(table, spec.id, 0)).rejects.toMatchObject(refusal);
    await expect(open(table, spec)).rejects.toMatchObject(refusal);
    expect(table.list()).toMatchObject([{ id: spec.id, exit: { code: 3 }, stdout: 6 }]);
    expect(await (await attach(table, spec.id, 6)).exit).toMatchObject({ code: 3 });
  });

  it("an end without an exit frame is unknown, never success", async () => {
    const [host, inside] = duplexPair();
    serveExecStream(inside, new ExecTable(new Launcher(config)), Promise.resolve());
    const execution = await openExecution(host, {
      open: { id: "cut-in-the-middle", command: ["sleep", "1"] },
    });
    inside.end();
    await expect(execution.exit).rejects.toMatchObject({ code: "session_lost" });
  });
});

function open(table: ExecTable, spec: Partial<ExecSpec> & { command: string[] }): Promise<Execution> {
  const [host, inside] = duplexPair();
  serveExecStream(inside, table, Promise.resolve());
  return openExecution(host, { open: { id: `test-${Math.random().toString(36).slice(2)}-0`, ...spec } });
}

function attach(table: ExecTable, id: string, stdout: number): Promise<Execution> {
  const [host, inside] = duplexPair();
  serveExecStream(inside, table, Promise.resolve());
  return openExecution(host, { attach: { attach: id, stdout } });
}

async function read(execution: Execution): Promise<{ stdout: string; stderr: string }> {
  const read = { stdout: "", stderr: "" };
  for await (const chunk of execution.output()) read[chunk.stream] += chunk.data.toString("hex");
  return read;
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
