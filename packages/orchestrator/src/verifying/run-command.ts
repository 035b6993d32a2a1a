import { type Execution, exitCode, type Sandbox, SandboxError } from "@opentiger/sandbox";
import type { ExecExit } from "@opentiger/schema";
import { execId } from "./exec-id.ts";

export interface CommandRequest {
  command: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  timeoutMs: number;
  /** The exec is called by it. One that is there is attached to, if what it wrote so far is not needed. */
  id: string;
  /** How much of stdout is needed; more is marked. 0: it is not needed, and its beginning may be gone. */
  stdoutBytes: number;
  signal: AbortSignal;
  onOutput?: ((data: Buffer) => void) | undefined;
}

export interface CommandOutcome {
  exit: ExecExit;
  exitCode: number;
  /** The last of what it wrote, in the order it came. */
  tail: Buffer;
  /** All of it, at most one byte more than asked for. */
  stdout: Buffer;
  durationMs: number;
}

/** Who reads the output sees the last screens of it; beyond that its beginning is dropped. */
const tailBytes = 64 * 1024;

/** Each time its reader died with a part of it in hand; so often is no chance any more. */
const maxAttempts = 5;

/**
 * Runs a command in a sandbox to its end, or goes on with the one that a process before us started, whose exit it then
 * gives. One whose output is needed and partly gone is ended and run again. When `signal` is aborted the command is left
 * as it is, for whoever comes next. What it left running ends with it.
 */
export async function runCommand(sandbox: Sandbox, request: CommandRequest): Promise<CommandOutcome> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await once(sandbox, request, execId(request.id, ...(attempt > 1 ? [attempt] : [])));
    if (outcome) return outcome;
    if (attempt < maxAttempts) continue;
    throw new SandboxError("session_lost", `the output of ${request.id} was lost ${maxAttempts} times`, {
      remedy: "try it again",
    });
  }
}

/** undefined: what it wrote is no longer all there. */
async function once(
  sandbox: Sandbox,
  request: CommandRequest,
  id: string,
): Promise<CommandOutcome | undefined> {
  const { command, cwd, env, timeoutMs, signal } = request;
  signal.throwIfAborted();
  const started = performance.now();
  const execution = await opened(() => sandbox.exec(command, { id, cwd, env: { ...env }, timeoutMs }));
  if (!execution) return undefined;
  const leave = (): void => execution.detach();
  signal.addEventListener("abort", leave, { once: true });
  // It may have come while the command was begun, and does not come again.
  if (signal.aborted) leave();
  try {
    const read = await readAll(execution, request);
    signal.throwIfAborted();
    if (!read) {
      await execution.kill("SIGKILL");
      return undefined;
    }
    const exit = await execution.exit;
    if (!(await allOfIt(sandbox, id, request, read))) return undefined;
    await endRest(execution);
    const { tail, stdout } = read;
    return { exit, exitCode: exitCode(exit), tail, stdout, durationMs: performance.now() - started };
  } catch (error) {
    // Letting go of it looks like a lost session; it was our own doing.
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

/** One whose output was dropped to make room for others is as good as none. */
async function opened(open: () => Promise<Execution>): Promise<Execution | undefined> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof SandboxError && error.code === "exec_not_found") return undefined;
    throw error;
  }
}

interface Read {
  tail: Buffer;
  stdout: Buffer;
  /** Where stdout ended, whether all of it was kept or not. */
  until: number;
}

async function readAll(
  execution: Execution,
  { stdoutBytes, onOutput }: CommandRequest,
): Promise<Read | undefined> {
  const tail: Buffer[] = [];
  const stdout: Buffer[] = [];
  let [tailSize, stdoutSize, expected] = [0, 0, 0];
  for await (const { stream, offset, data } of execution.output()) {
    onOutput?.(data);
    tail.push(data);
    tailSize += data.length;
    while (tailSize - (tail[0]?.length ?? 0) > tailBytes) tailSize -= tail.shift()?.length ?? 0;
    if (stream !== "stdout" || stdoutBytes === 0) continue;
    if (offset !== expected) return undefined;
    expected = offset + data.length;
    if (stdoutSize > stdoutBytes) continue;
    const kept = data.subarray(0, stdoutBytes + 1 - stdoutSize);
    stdout.push(kept);
    stdoutSize += kept.length;
  }
  return { tail: Buffer.concat(tail).subarray(-tailBytes), stdout: Buffer.concat(stdout), until: expected };
}

/** A reader before us may have had it all in hand: then nothing came, and that is not to be taken for silence. */
async function allOfIt(
  sandbox: Sandbox,
  id: string,
  { stdoutBytes }: CommandRequest,
  { until }: Read,
): Promise<boolean> {
  if (stdoutBytes === 0) return true;
  const known = (await sandbox.execs()).find((exec) => exec.id === id);
  return known === undefined || known.stdout === until;
}

/** It has ended, and so shall what it left behind: nothing may write into the checks that come after it. */
async function endRest(execution: Execution): Promise<void> {
  try {
    await execution.kill("SIGKILL");
  } catch (error) {
    if (error instanceof SandboxError && error.code === "exec_not_found") return;
    throw error;
  }
}
