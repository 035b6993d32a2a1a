import type { Command } from "commander";
import { bundlesFolder } from "../plugin/bundles.ts";
import { installPlugin, pluginPath } from "../plugin/plugin-file.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson, type VerbOptions, verb } from "../program/verb.ts";

interface InstallOptions extends VerbOptions {
  force?: true;
}

export function installPluginCommand(surroundings: Surroundings): Command {
  return verb("install-plugin", surroundings)
    .description("make `docker sandbox` work: puts a plugin where docker looks for it")
    .option("-f, --force", "replace a plugin of that name that is not openTiger's")
    .addHelpText("after", "\nExamples:\n  opentiger sandbox install-plugin\n  docker sandbox version")
    .action((options: InstallOptions) => {
      const program = { node: process.execPath, bundles: bundlesFolder() };
      const { path, change } = installPlugin(pluginPath(surroundings.env), program, { force: options.force });
      if (options.json) return printJson(surroundings, { path, change });
      const said = { installed: "Installed", updated: "Updated", unchanged: "Already installed:" }[change];
      surroundings.stdout.write(`✓ ${said} ${path}\n  Try it: docker sandbox version\n`);
    });
}
