import type { Command } from "commander";
import type { Surroundings } from "../program/surroundings.ts";
import { backendOf, examples, forEachName, printJson, type VerbOptions, verb } from "../program/verb.ts";

export function stopCommand(surroundings: Surroundings): Command {
  return verb("stop", surroundings)
    .description("stop sandboxes; what they hold stays")
    .argument("<sandbox...>", "names")
    .addHelpText("after", examples(surroundings, "stop my-sandbox", "stop one two"))
    .action(async (names: string[], options: VerbOptions) => {
      const backend = await backendOf(surroundings, options);
      const stopped = await forEachName(names, surroundings, options, (name) => backend.stop(name));
      if (options.json) printJson(surroundings, { stopped });
    });
}
