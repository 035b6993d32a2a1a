import type { ExecExit } from "@opentiger/schema";
import { SandboxError } from "../errors.ts";
import type { ExecOptions, Execution, Sandbox } from "../sandbox.ts";
import { pour } from "./pour.ts";
import { TextTail } from "./untrusted-text.ts";

/** What moving files and commits needs of a sandbox. */
export type Inside = Pick<Sandbox, "exec">;

export interface InsideOptions {
  /** What the command reads. It is asked for only as fast as the command takes it. */
  input?: AsyncIterable<Buffer>;
  env?: Readonly<Record<string, string>>;
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
  /** What an exit other than 0 means. The text is the end of stderr: written inside, so not to be trusted. */
  failure: (exit: ExecExit, stderr: string) => SandboxError;
  /** An exit other than 0 that is good enough. */
  tolerate?: (exit: ExecExit, stderr: string) => boolean;
}

/**
 * Runs a command in a sandbox and yields its stdout, with backpressure both ways. It ends normally only when the
 * command exited with 0; a reader that stops early ends the command, and so does an abort.
 */
export async function* readInside(
  inside: Inside,
  command: readonly string[],
  options: InsideOptions,
): AsyncGenerator<Buffer, void> {
  if (options.signal?.aborted) throw cancelled();
  const execution = await inside.exec(command, execOptions(options));
  const stop = (): void => void kill(execution);
  options.signal?.addEventListener("abort", stop, { once: true });
  // It may have come while the command was begun, and does not come again.
  if (options.signal?.aborted) stop();
  const input = options.input ? pour(options.input, execution.stdin, stop) : undefined;
  const stderr = new TextTail();
  let exit: ExecExit | undefined;
  try {
    for await (const chunk of execution.output()) {
      if (chunk.stream === "stdout") yield chunk.data;
      else stderr.push(chunk.data);
    }
    exit = await execution.exit;
  } finally {
    options.signal?.removeEventListener("abort", stop);
    if (!exit) await kill(execution);
    input?.letGo();
  }
  const error = input?.sourceError() ?? outcome(exit, stderr.toString(), options);
  if (error) throw error;
}

/** The whole stdout of a command that has little to say. */
export async function runInside(
  inside: Inside,
  command: readonly string[],
  options: InsideOptions & { maxBytes?: number },
): Promise<string> {
  const chunks: Buffer[] = [];
  const most = options.maxBytes ?? 1024 * 1024;
  let size = 0;
  for await (const chunk of readInside(inside, command, options)) {
    size += chunk.length;
    if (size > most) throw talkative(most);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function execOptions(options: InsideOptions): ExecOptions {
  return {
    stdin: options.input !== undefined,
    ...(options.env ? { env: { ...options.env } } : {}),
    ...(options.timeoutMs ? { timeoutMs: options.timeoutMs } : {}),
  };
}

/** Lets the command end in its own time only while someone waits for it; a lost session has nothing to kill. */
async function kill(execution: Execution): Promise<void> {
  await execution.kill("SIGKILL").catch(() => {});
}

function outcome(exit: ExecExit, stderr: string, options: InsideOptions): SandboxError | undefined {
  if (options.signal?.aborted) return cancelled();
  if (exit.reason === "timeout") {
    return new SandboxError("timeout", `the sandbox did not finish within ${options.timeoutMs ?? 0} ms`, {
      remedy: "look at what runs inside, and try again",
    });
  }
  if (exit.code === 0 || options.tolerate?.(exit, stderr)) return undefined;
  return options.failure(exit, stderr);
}

function cancelled(): SandboxError {
  return new SandboxError("cancelled", "it was cancelled");
}

function talkative(most: number): SandboxError {
  return new SandboxError(
    "sandbox_broken",
    `a command in the sandbox answered with more than ${most} bytes`,
    {
      remedy: "something inside replaced one of its tools; make a new sandbox",
    },
  );
}
