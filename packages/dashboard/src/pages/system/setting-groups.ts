import type { ConfigEntry } from "@opentiger/schema";
import { words } from "../../words/words.ts";

const { groups } = words.systemParts;

/** Which keys belong together. The first that fits has it. */
const patterns: readonly [RegExp, string][] = [
  [/^EXECUTION_ENVIRONMENT$|_HOST_VARIABLES$/, groups.place],
  [/^SANDBOX_|_(?:NETWORK_POLICY|POOL_SIZE|PREPARED_SIZE)$/, groups.sandboxes],
  [/_(?:AGENT|MODEL|AGENT_COMMAND|PROJECT_SETTINGS)$/, groups.agents],
  [/_(?:LOOP|DAY)_(?:TOKENS|USD)$/, groups.budgets],
  [/_(?:MAX_TASKS|PLAN_TRIES|TASK_RUNS|REWORKS|TEST_DISPUTES|APPROVE_PLANS)$/, groups.planning],
  [/_MAX_[A-Z]+$/, groups.limits],
  [/_TIMEOUT$|_QUOTA_/, groups.times],
  [/_ARTIFACTS?_/, groups.keeping],
  [/_GIT_/, groups.git],
];

export interface SettingGroup {
  title: string;
  settings: ConfigEntry[];
}

/** The settings in which all words of the search occur, group by group. */
export function groupsOf(
  settings: readonly ConfigEntry[],
  search: string,
  changedOnly: boolean,
): SettingGroup[] {
  const wanted = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = new Map<string, ConfigEntry[]>();
  for (const setting of settings) {
    const title = patterns.find(([pattern]) => pattern.test(setting.key))?.[1] ?? groups.others;
    const said = `${setting.key} ${setting.about} ${title} ${setting.value}`.toLowerCase();
    if (changedOnly && setting.source === "default") continue;
    if (!wanted.every((word) => said.includes(word))) continue;
    found.set(title, [...(found.get(title) ?? []), setting]);
  }
  return [...found].map(([title, entries]) => ({ title, settings: entries }));
}
