import { claudePlaceholders } from "./claude.ts";
import { codexPlaceholders } from "./codex.ts";
import { opencodePlaceholders } from "./opencode.ts";
import type { PlaceholderSetting, Placeholders } from "./placeholder.ts";

export const brokeredAgents = ["claude", "codex", "opencode"] as const;
export type BrokeredAgent = (typeof brokeredAgents)[number];

const makers: Readonly<Record<BrokeredAgent, (setting: PlaceholderSetting) => Placeholders>> = {
  claude: claudePlaceholders,
  codex: codexPlaceholders,
  opencode: opencodePlaceholders,
};

/** What the given agents find in a sandbox, together. */
export function placeholdersFor(agents: Iterable<BrokeredAgent>, setting: PlaceholderSetting): Placeholders {
  const each = [...agents].map((agent) => makers[agent](setting));
  return {
    env: Object.assign({}, ...each.map(({ env }) => env)),
    files: each.flatMap(({ files }) => files),
  };
}
