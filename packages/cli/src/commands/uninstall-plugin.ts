import type { Command } from "commander";
import { pluginPath, uninstallPlugin } from "../plugin/plugin-file.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson, type VerbOptions, verb } from "../program/verb.ts";

export function uninstallPluginCommand(surroundings: Surroundings): Command {
  return verb("uninstall-plugin", surroundings)
    .description("remove the `docker sandbox` plugin, if it is openTiger's; sandboxes stay")
    .addHelpText("after", "\nExamples:\n  opentiger sandbox uninstall-plugin")
    .action((options: VerbOptions) => {
      const path = pluginPath(surroundings.env);
      const removed = uninstallPlugin(path);
      if (options.json) return printJson(surroundings, { path, removed });
      surroundings.stdout.write(removed ? `✓ Removed ${path}\n` : `There is no plugin at ${path}\n`);
    });
}
