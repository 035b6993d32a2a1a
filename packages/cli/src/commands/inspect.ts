import type { Command } from "commander";
import { reportError } from "../output/error-report.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { audienceOf, backendOf, examples, type VerbOptions, verb } from "../program/verb.ts";

export function inspectCommand(surroundings: Surroundings): Command {
  return verb("inspect", surroundings)
    .description("everything known about sandboxes, as a JSON array")
    .argument("<sandbox...>", "names")
    .addHelpText("after", examples(surroundings, "inspect my-sandbox"))
    .action(async (names: string[], options: VerbOptions) => {
      const backend = await backendOf(surroundings, options);
      const found: Record<string, unknown>[] = [];
      for (const name of names) {
        try {
          found.push(await backend.inspect(name));
        } catch (error) {
          surroundings.exitWith(reportError(error, audienceOf(surroundings, options), { name }));
        }
      }
      surroundings.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
    });
}
