import { ownNames } from "@opentiger/sandbox/exec-client";
import { runProgram } from "./main.ts";
import { opentigerProgram } from "./opentiger.ts";
import { endProcess, processSurroundings } from "./process-surroundings.ts";

/** `opentiger …`, as a process of its own. */
export async function runOpentiger(words: readonly string[]): Promise<never> {
  const surroundings = processSurroundings({
    invocation: "opentiger sandbox",
    words,
    env: process.env,
    context: undefined,
  });
  await runProgram({
    root: await opentigerProgram(surroundings, words),
    words,
    surroundings,
    sandboxNames: () => ownNames(process.env),
  });
  return endProcess();
}
