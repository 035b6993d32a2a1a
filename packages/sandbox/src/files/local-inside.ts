import { spawn } from "node:child_process";
import { PassThrough } from "node:stream";
import type { ExecExit } from "@opentiger/schema";
import type { Execution, OutputChunk } from "../sandbox.ts";
import type { Inside } from "./inside-command.ts";

/**
 * A stand-in for unit tests: commands run on the host, in a folder of the test's. It shows what the scripts and
 * the streams do, and nothing about isolation; the end-to-end tests use sandboxes.
 */
export function localInside(cwd: string, env: Record<string, string> = {}): Inside {
  return {
    async exec([file = "", ...args], options = {}): Promise<Execution> {
      const child = spawn(file, args, {
        cwd,
        env: { ...process.env, ...env, ...options.env },
        detached: true,
      });
      if (!options.stdin) child.stdin.end();
      child.stdin.on("error", () => {}); // A closed pipe is dropped input, as in a sandbox.
      const exit = new Promise<ExecExit>((resolve, reject) => {
        child.once("error", reject);
        child.once("close", (code, signal) => resolve({ code, signal, reason: "exited" }));
      });
      return {
        id: String(child.pid),
        pid: child.pid ?? 0,
        stdin: child.stdin,
        exit,
        output: () => merged(child),
        kill: async (signal = "SIGKILL") => endGroup(child.pid, signal),
        detach: () => {},
      };
    },
  };
}

async function* merged(child: ReturnType<typeof spawn>): AsyncIterable<OutputChunk> {
  const both = new PassThrough({ objectMode: true, highWaterMark: 4 });
  const streams = [["stdout", child.stdout] as const, ["stderr", child.stderr] as const];
  let open = streams.length;
  for (const [stream, source] of streams) {
    source?.on("data", (data: Buffer) => {
      if (!both.write({ stream, offset: 0, data })) source.pause();
    });
    both.on("drain", () => source?.resume());
    source?.once("close", () => {
      open -= 1;
      if (open === 0) both.end();
    });
  }
  yield* both as AsyncIterable<OutputChunk>;
}

function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid) process.kill(-pid, signal);
  } catch {
    // It has ended already.
  }
}
