import { opentigerVersion } from "@opentiger/schema";
import type { Command } from "commander";
import { pluginVersion } from "../plugin/version.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson, type VerbOptions, verb } from "../program/verb.ts";

/** Needs no engine: it is what people type to see whether the plugin is there at all. */
export function versionCommand(surroundings: Surroundings): Command {
  return showing(
    surroundings,
    `${surroundings.invocation} version`,
    `docker-sandbox version ${pluginVersion}`,
  );
}

export function opentigerVersionCommand(surroundings: Surroundings): Command {
  return showing(surroundings, "opentiger version", `opentiger version ${opentigerVersion}`);
}

function showing(surroundings: Surroundings, example: string, text: string): Command {
  return verb("version", surroundings)
    .description("show the version")
    .addHelpText("after", `\nExamples:\n  ${example}\n  ${example} --json`)
    .action((options: VerbOptions) => {
      if (options.json)
        return printJson(surroundings, { version: pluginVersion, opentiger: opentigerVersion });
      surroundings.stdout.write(`${text}\n`);
    });
}
