import type { AgentName } from "@opentiger/schema";

/** The agents a loop can have a sandbox for. */
export const loopTools = ["claude", "codex", "opencode"] as const;
export type LoopTool = (typeof loopTools)[number];

/** The name by which every role of a loop finds its sandbox. */
export function loopSandboxName(loopId: string, tool: AgentName): string {
  return `loop-${loopId}-${tool}`;
}

/** The loop that a name is of; undefined where it is no loop's. */
export function loopOf(name: string, tool: LoopTool): string | undefined {
  const [, loop] = /^loop-(.+)-[a-z]+$/.exec(name) ?? [];
  return loop !== undefined && loopSandboxName(loop, tool) === name ? loop : undefined;
}
