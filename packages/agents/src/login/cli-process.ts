import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { execVariable, killMarked } from "@opentiger/sandbox";
import { abortReason } from "./abort-reason.ts";

/** What a CLI says about itself is short; of more, the start is kept. */
const largestOutput = 64 * 1024;

/** So long something may still come out of a process that has ended. */
const drainMs = 250;

export interface CliAnswer {
  /** null where a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Asks a CLI of the host something that it answers at once. When this is over, by its end or by the signal, nothing that
 * it started is left, whether it left its session or not.
 */
export async function askCli(
  command: readonly [string, ...string[]],
  { env, signal }: { env: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<CliAnswer> {
  signal.throwIfAborted();
  const value = `login-check-${randomUUID()}`;
  try {
    return await answerOf(command, { ...env, [execVariable]: value }, signal);
  } finally {
    await killMarked({ kind: "environment", variable: execVariable, value });
  }
}

function answerOf(
  [file, ...args]: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<CliAnswer> {
  return new Promise((resolve, reject) => {
    // Not in the user's folder: whose settings lie there is none of our business.
    const child = spawn(file, args, { env, cwd: tmpdir(), stdio: ["ignore", "pipe", "pipe"] });
    const stdout = firstBytes(child.stdout);
    const stderr = firstBytes(child.stderr);
    const onAbort = () => reject(abortReason(signal));
    signal.addEventListener("abort", onAbort, { once: true });
    child.once("error", reject);
    const answer = (code: number | null) => {
      signal.removeEventListener("abort", onAbort);
      resolve({ code, stdout: stdout(), stderr: stderr() });
    };
    // A grandchild may hold the pipes open: the process's own end is what counts.
    child.once("exit", (code) => void setTimeout(() => answer(code), drainMs).unref());
    child.once("close", answer);
  });
}

function firstBytes(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on("error", () => {});
  stream.on("data", (chunk: Buffer) => {
    if (bytes < largestOutput) chunks.push(chunk.subarray(0, largestOutput - bytes));
    bytes += chunk.length;
  });
  return () => Buffer.concat(chunks).toString("utf8");
}
