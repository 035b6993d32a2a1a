import { constants } from "node:os";
import type { ExecExit } from "@opentiger/schema";
import type { Execution } from "../sandbox.ts";

export interface Collected {
  exit: ExecExit;
  stdout: Buffer;
  stderr: Buffer;
  /** stdout and stderr in the order they came. */
  output: Buffer;
}

/** Keeps at most this much; beyond it the beginning is dropped, since an error stands at the end. */
const defaultLimit = 16 * 1024 * 1024;

/** Reads an exec to its end and keeps what it said, within a bound. */
export async function collect(execution: Execution, limit = defaultLimit): Promise<Collected> {
  const pieces: { stream: "stdout" | "stderr"; data: Buffer }[] = [];
  let size = 0;
  for await (const { stream, data } of execution.output()) {
    pieces.push({ stream, data });
    size += data.length;
    while (size > limit && pieces.length > 1) size -= pieces.shift()?.data.length ?? 0;
  }
  const join = (wanted?: "stdout" | "stderr"): Buffer =>
    Buffer.concat(pieces.filter(({ stream }) => !wanted || stream === wanted).map(({ data }) => data));
  return { exit: await execution.exit, stdout: join("stdout"), stderr: join("stderr"), output: join() };
}

/** As a shell says it: 124 for a timeout, 128 and the signal's number for a signal. */
export function exitCode(exit: ExecExit): number {
  if (exit.reason === "timeout") return 124;
  if (exit.code !== null) return exit.code;
  // The name comes out of a sandbox: an unknown one counts as a kill.
  return (
    128 + ((constants.signals as Record<string, number>)[exit.signal ?? ""] ?? constants.signals.SIGKILL)
  );
}
