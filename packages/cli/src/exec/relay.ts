import { type Execution, exitCode } from "@opentiger/sandbox/exec-client";
import { isEnding, onInterruption } from "./interruption.ts";
import { Sink } from "./sink.ts";

export interface RelayOptions {
  stdin: boolean;
  env: NodeJS.ProcessEnv;
}

/** Programs that ignore SIGPIPE get this long to notice that nobody reads them. */
const brokenPipeGraceMs = 2_000;

/**
 * Connects a command in a sandbox with this process's stdin, stdout, stderr and signals, until the command has
 * ended and its last byte is written. Returns the status to exit with; rejects when the session was lost.
 */
export async function relay(execution: Execution, options: RelayOptions): Promise<number> {
  const stopListening = onInterruption(escalation(execution), options.env);
  if (options.stdin) forwardStdin(execution);
  try {
    await copyOutput(execution);
    return exitCode(await execution.exit);
  } finally {
    stopListening();
  }
}

/** The first wish is the command's to answer; the second kills it; the third ends us, whatever becomes of it. */
export function escalation(execution: Pick<Execution, "kill" | "detach">) {
  let wishes = 0;
  return {
    signalled(signal: NodeJS.Signals): void {
      if (isEnding(signal)) wishes += 1;
      if (wishes > 2) process.exit(130);
      // A command that ended meanwhile, or a lost session, is reported by `exit`.
      execution.kill(wishes > 1 ? "SIGKILL" : signal).catch(() => {});
    },
    abandoned(): void {
      execution.detach();
      process.exit(129);
    },
  };
}

/** By hand, since Node's own `pipe` looks at `process.stdout` on the way, which makes our pipes non-blocking. */
export function forwardStdin(execution: Execution): void {
  const { stdin } = process;
  // A command may close its stdin early, and so may ours: neither ends the exec.
  execution.stdin.on("error", () => {});
  execution.stdin.on("drain", () => stdin.resume());
  stdin.on("error", () => execution.stdin.end());
  stdin.on("end", () => execution.stdin.end());
  stdin.on("data", (data) => {
    if (!execution.stdin.write(data)) stdin.pause();
  });
}

async function copyOutput(execution: Execution): Promise<void> {
  const sinks = { stdout: new Sink(1), stderr: new Sink(2) };
  let told = false;
  for await (const chunk of execution.output()) {
    if (await sinks[chunk.stream].write(chunk.data)) continue;
    if (chunk.stream === "stdout" && !told) void brokenPipe(execution);
    told ||= chunk.stream === "stdout";
  }
}

/** What a local pipeline would do to the command. Reading goes on, so that it can end. */
async function brokenPipe(execution: Execution): Promise<void> {
  const wait = setTimeout(() => void execution.kill("SIGTERM").catch(() => {}), brokenPipeGraceMs);
  wait.unref();
  await execution.kill("SIGPIPE").catch(() => {});
}
