/** The agents a loop can have a sandbox for. */
export const loopTools = ["claude", "codex", "opencode"] as const;
export type LoopTool = (typeof loopTools)[number];

/** The name by which every role of a loop finds its sandbox. */
export function loopSandboxName(loopId: string, tool: LoopTool): string {
  return `loop-${loopId}-${tool}`;
}
