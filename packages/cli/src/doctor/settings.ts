import { configKeyNames, configKeys } from "@opentiger/schema";
import { type Check, type Finding, fail, ok } from "./check.ts";

export const settingsCheck: Check = {
  name: "settings",
  timeoutMs: 60_000,
  async look(ward) {
    // Where it cannot be opened, the check of the database says so.
    const place = await ward.place().catch(() => undefined);
    if (!place) return fromEnvironment(ward.env);
    const entries = place.config.entries();
    const broken = entries.flatMap(({ key, problem, pinned }) =>
      problem === null
        ? []
        : [fail(problem, pinned ? `unset or change the variable ${key}` : `opentiger config unset ${key}`)],
    );
    const changed = entries.filter(({ source }) => source !== "default").length;
    return broken.length > 0 ? broken : [ok(`${changed} of ${entries.length} are not the default`)];
  },
};

/** All that is known without a database. */
function fromEnvironment(env: NodeJS.ProcessEnv): Finding[] {
  return configKeyNames.flatMap((key) => {
    const written = env[key]?.trim();
    if (!written || configKeys[key].read(written)) return [];
    return [fail(`${key} must be ${configKeys[key].expects}`, `unset or change the variable ${key}`)];
  });
}
