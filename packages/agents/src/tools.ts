import type { AgentTool } from "./driver.ts";

/** For a CLI that cannot be offered less: what is not to be done, in words. */
const withoutWords: Readonly<Record<AgentTool, string>> = {
  read: "Look into no file.",
  edit: "Change no file.",
  command: "Run no command, but to look into files or to change them.",
  web: "Ask nothing of the web.",
  agents: "Start no other agents.",
};

const onlyLooking = "Run no command, but to look into files.";

/** What an agent is not to use; nothing where it may use everything. */
export function withheldTools(tools: readonly AgentTool[] | undefined): AgentTool[] {
  if (!tools) return [];
  return allTools.filter((tool) => !tools.includes(tool));
}

/** undefined where there is nothing to be said. */
export function toolWords(tools: readonly AgentTool[] | undefined): string | undefined {
  const withheld = withheldTools(tools);
  if (withheld.length === 0) return undefined;
  const words = withheld.includes("edit") ? { ...withoutWords, command: onlyLooking } : withoutWords;
  return withheld.map((tool) => words[tool]).join(" ");
}

const allTools = ["read", "edit", "command", "web", "agents"] as const satisfies AgentTool[];
