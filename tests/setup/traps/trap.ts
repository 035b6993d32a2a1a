import type { Files, TestedAgent } from "../agent-place.ts";
import type { Canary } from "./canary.ts";
import { claudeTrap } from "./claude-trap.ts";
import { codexTrap } from "./codex-trap.ts";
import { opencodeTrap } from "./opencode-trap.ts";

/** What a hostile repository has for each CLI, as files below `cwd`. */
export const traps: Readonly<Record<TestedAgent, (cwd: string, canary: Canary) => Files>> = {
  claude_code: claudeTrap,
  codex: codexTrap,
  opencode: opencodeTrap,
};
