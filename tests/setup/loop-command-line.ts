import { type ChildProcess, spawn } from "node:child_process";
import { type Ended, ended, opentigerBundle } from "./command-line.ts";

/** A child that is still going on, with all that it has written. */
export type HeardChild = ChildProcess & { heard: string };

/** The built `opentiger`, with an environment of the test's. */
export interface CommandLine {
  (...words: readonly string[]): Promise<Ended>;
  /** Its stdout as the one document that it is; an error otherwise. */
  json(...words: readonly string[]): Promise<ReturnType<typeof JSON.parse>>;
  withInput(input: string, ...words: readonly string[]): Promise<Ended>;
  start(...words: readonly string[]): { child: HeardChild; ended: Promise<Ended> };
}

export function commandLine(env: NodeJS.ProcessEnv): CommandLine {
  const start: CommandLine["start"] = (...words) => {
    const spawned = spawn(process.execPath, [opentigerBundle, ...words], { env, cwd: "/", stdio: "pipe" });
    const child: HeardChild = Object.assign(spawned, { heard: "" });
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (part: Buffer) => {
        child.heard += part.toString();
      });
    return { child, ended: ended(child) };
  };
  const run = (...words: readonly string[]) => start(...words).ended;
  return Object.assign(run, {
    start,
    json: async (...words: readonly string[]) => {
      const { status, stdout, stderr } = await run(...words);
      if (status !== 0) throw new Error(`opentiger ${words.join(" ")} ended with ${status}: ${stderr}`);
      return JSON.parse(stdout);
    },
    withInput: (input: string, ...words: readonly string[]) =>
      ended(spawn(process.execPath, [opentigerBundle, ...words], { env, cwd: "/", stdio: "pipe" }), input),
  });
}
