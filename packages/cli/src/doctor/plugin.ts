import { bundlesFolder } from "../plugin/bundles.ts";
import { installPlugin, pluginPath, pluginState } from "../plugin/plugin-file.ts";
import { type Check, ok, warn } from "./check.ts";

/** Whether `docker sandbox` is there, and leads to this openTiger. */
export const pluginCheck: Check = {
  name: "plugin",
  look({ env }) {
    const path = pluginPath(env);
    const program = { node: process.execPath, bundles: bundlesFolder() };
    const state = pluginState(path, program);
    if (state === "current") return [ok(`docker sandbox is there (${path})`)];
    const install = "opentiger sandbox install-plugin";
    if (state === "none") return [ok(`docker sandbox is not installed; ${install} does it`)];
    if (state === "foreign")
      return [warn(`${path} is not openTiger's: docker sandbox is another's`, `${install} --force`)];
    return [
      warn(`docker sandbox is another version of openTiger's (${path})`, install, async () => {
        installPlugin(path, program, {});
        return `installed ${path} again`;
      }),
    ];
  },
};
