import type { AgentKind } from "@opentiger/schema";
import { claudeCode } from "./claude-code/index.ts";
import { codex } from "./codex/index.ts";
import type { AgentDriver } from "./driver.ts";
import { opencode } from "./opencode/index.ts";

/** Every agent that has a folder here. A `command` is made of the user's own words: see command/. */
export const drivers: Readonly<Record<Exclude<AgentKind, "command">, AgentDriver>> = {
  claude_code: claudeCode,
  codex,
  opencode,
};
