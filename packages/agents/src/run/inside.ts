import { collect, type ExecOptions, type Sandbox, SandboxError } from "@opentiger/sandbox";
import type { ExecExit } from "@opentiger/schema";

/** What is done inside beside the CLI takes moments; a sandbox that does not answer must not hang a run. */
const answerTimeoutMs = 30_000;

/** Of what such a command says, which is little. */
const mostOutput = 1024 * 1024;

export interface InsideOptions {
  env?: Readonly<Record<string, string>>;
  cwd?: string;
  /** What it reads; never a part of the command, which others can see. */
  input?: string | undefined;
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
}

export interface Said {
  exit: ExecExit;
  stdout: string;
  stderr: string;
}

/** Runs a small command of ours in a sandbox, to its end. */
export async function runInside(
  sandbox: Sandbox,
  command: readonly string[],
  { env, cwd, input, timeoutMs = answerTimeoutMs, signal }: InsideOptions = {},
): Promise<Said> {
  const options: ExecOptions = {
    timeoutMs,
    stdin: input !== undefined,
    ...(env ? { env: { ...env } } : {}),
    ...(cwd === undefined ? {} : { cwd }),
    ...(signal ? { signal } : {}),
  };
  const execution = await sandbox.exec(command, options);
  // Its own backpressure: what does not fit waits until the command has read.
  execution.stdin.on("error", () => {});
  if (input !== undefined) execution.stdin.end(input);
  const { exit, stdout, stderr } = await collect(execution, mostOutput);
  signal?.throwIfAborted();
  return { exit, stdout: stdout.toString("utf8"), stderr: stderr.toString("utf8") };
}

export function notDone(what: string, { exit, stderr }: Said): SandboxError {
  const status = exit.code ?? exit.signal;
  return new SandboxError(
    "sandbox_broken",
    `${what} failed in the sandbox (${status}): ${stderr.slice(-500).trim()}`,
    {
      remedy: "look at the sandbox's disk and at who owns the folder",
    },
  );
}
