import { type OpenPlace, openPlace } from "@opentiger/orchestrator";
import { Command } from "commander";
import { progressOn } from "../output/progress.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { quiet } from "../program/verb.ts";
import { withServerFlags } from "../server/given-settings.ts";

/** What every verb of loops and tasks understands. */
export interface LoopVerbOptions {
  json?: true;
}

/** A verb whose state is in the database. Which engine loops use is the dispatcher's affair, and not each command's. */
export function loopVerb(name: string, surroundings: Surroundings): Command {
  return quiet(new Command(name), surroundings).option("--json", "results and errors as JSON");
}

/** The same for one task, which is called by its loop and its number. */
export function taskVerb(name: string, surroundings: Surroundings): Command {
  return loopVerb(name, surroundings)
    .argument("<loop>", "its id, or the beginning of it")
    .argument("<number>", "of the task, in the loop");
}

/** Lines of the help that can be pasted. */
export function loopExamples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  opentiger ${line}`).join("\n")}`;
}

/**
 * Does something with this instance's state, which is started where it does not run, and left running. Settings that the
 * server was given by `up --set` hold here too, and for the dispatcher that is started from here.
 */
export async function withPlace<T>(
  surroundings: Surroundings,
  options: LoopVerbOptions,
  act: (place: OpenPlace) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const progress = progressOn(surroundings, options);
  const place = await openPlace(await withServerFlags(surroundings.env), {
    program: "command line",
    say: (sentence) => progress.line(sentence),
    signal,
  });
  progress.end();
  try {
    return await act(place);
  } finally {
    await place.close();
  }
}
