import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { withCommandOomScore } from "./oom-score.ts";
import type { OutputPipe, PipePool } from "./pipes.ts";
import { RefusedError } from "./refusals.ts";
import type { Ended, Started } from "./started.ts";

/** A command as Node starts it: what gives up its rights stands in front of it. */
export interface NodeCommand {
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string | undefined;
  stdin: boolean;
  output: boolean;
}

/** Starts a command without the spawner: in host mode, and where the image has none. */
export function startByNode(command: NodeCommand, pipes: PipePool | undefined): Started {
  const [file = "", ...args] = command.argv;
  const stdio = stdioOf(command, pipes);
  const child = withCommandOomScore(() =>
    spawn(file, args, {
      ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
      env: { ...command.env },
      stdio: stdio.map((pipe) => (typeof pipe === "string" ? pipe : pipe.fd)),
      detached: true,
    }),
  );
  // Without a listener the failure to start would end the supervisor.
  child.once("error", () => {});
  for (const pipe of stdio) if (typeof pipe !== "string") closeSync(pipe.fd);
  const [, stdout, stderr] = stdio.map((pipe) => (typeof pipe === "string" ? null : pipe.stream));
  const { pid } = child;
  if (pid === undefined) {
    for (const stream of [stdout, stderr]) stream?.destroy();
    throw startFailure();
  }
  return {
    pid,
    stdin: child.stdin,
    stdout: stdout ?? child.stdout,
    stderr: stderr ?? child.stderr,
    kill: (signal) => void child.kill(signal),
    ended: new Promise<Ended>((resolve) => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
    }),
  };
}

export function startFailure(): RefusedError {
  return new RefusedError(
    "resource_limit",
    "the sandbox cannot start another process: its limit of processes or memory is reached",
  );
}

function stdioOf({ stdin, output }: NodeCommand, pipes: PipePool | undefined) {
  const out = (): OutputPipe | "pipe" | "ignore" => (output ? (pipes?.take() ?? "pipe") : "ignore");
  return [stdin ? ("pipe" as const) : ("ignore" as const), out(), out()];
}
