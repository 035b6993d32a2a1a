import type { Backend } from "@opentiger/sandbox";
import { coloursFor } from "../output/colours.ts";
import { connectBackend } from "./backend.ts";
import { wantsJson } from "./main.ts";
import type { Surroundings } from "./surroundings.ts";

export interface ProgramCall {
  invocation: Surroundings["invocation"];
  words: readonly string[];
  env: NodeJS.ProcessEnv;
  context: string | undefined;
}

/** The real process. */
export function processSurroundings({ invocation, words, env, context }: ProgramCall): Surroundings {
  const backends = new Map<string | undefined, Promise<Backend>>();
  // A reader that goes away early, as in `ls | head -1`, is no error.
  process.stdout.on("error", ignoreBrokenPipe);
  process.stderr.on("error", ignoreBrokenPipe);
  const warn = warnings(wantsJson(words) ? "json" : "text", env);
  return {
    env,
    cwd: process.cwd(),
    now: () => new Date(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    program: invocation === "docker sandbox" ? invocation : "opentiger",
    invocation,
    context,
    connect: (wanted) => {
      const backend = backends.get(wanted) ?? connectBackend({ env, context: wanted, warn });
      backends.set(wanted, backend);
      return backend;
    },
    exitWith: (status) => {
      process.exitCode = Math.max(Number(process.exitCode ?? 0), status);
    },
  };
}

function warnings(format: "json" | "text", env: NodeJS.ProcessEnv): (sentence: string) => void {
  const colours = coloursFor(process.stderr, env);
  return (warning) => {
    const line = format === "json" ? JSON.stringify({ warning }) : `${colours.yellow("warning:")} ${warning}`;
    process.stderr.write(`${line}\n`);
  };
}

/** Ends the process although sockets may still be open, once everything was written. */
export async function endProcess(): Promise<never> {
  await Promise.all(
    [process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write("", done))),
  );
  process.exit();
}

function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}
