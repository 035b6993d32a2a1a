import type { AgentDriver } from "../driver.ts";
import { launch } from "./launch.ts";
import { ClaudeReader } from "./reader.ts";
import { session } from "./session.ts";

/** Anthropic's Claude Code, by `claude -p`. */
export const claudeCode: AgentDriver = {
  name: "claude_code",
  title: "Claude Code",
  template: "claude",
  abilities: { answers: "own", resume: true, maxTurns: true },
  launch,
  reader: (task) => new ClaudeReader(task),
  session,
};
