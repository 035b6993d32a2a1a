import type { Command } from "commander";
import type { Surroundings } from "../program/surroundings.ts";
import { backendOf, examples, forEachName, printJson, type VerbOptions, verb } from "../program/verb.ts";

export function resumeCommand(surroundings: Surroundings): Command {
  return verb("resume", surroundings)
    .description("let sandboxes go on that were paused because the disk was nearly full")
    .argument("<sandbox...>", "names")
    .addHelpText("after", examples(surroundings, "resume my-sandbox"))
    .action(async (names: string[], options: VerbOptions) => {
      const backend = await backendOf(surroundings, options);
      const resumed = await forEachName(names, surroundings, options, (name) => backend.resume(name));
      if (options.json) printJson(surroundings, { resumed });
    });
}
