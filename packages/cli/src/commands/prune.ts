import type { Command } from "commander";
import type { Surroundings } from "../program/surroundings.ts";
import { backendOf, examples, printJson, type VerbOptions, verb } from "../program/verb.ts";

export function pruneCommand(surroundings: Surroundings): Command {
  return verb("prune", surroundings)
    .description("collect what crashed creates, half-done removals and the pool left; never a sandbox in use")
    .addHelpText("after", examples(surroundings, "prune"))
    .action(async (options: VerbOptions) => {
      const collected = await (await backendOf(surroundings, options)).prune();
      if (options.json) return printJson(surroundings, { collected });
      surroundings.stdout.write(collected.map((line) => `${line}\n`).join(""));
    });
}
