import type { AgentDriver } from "../driver.ts";
import { launch } from "./launch.ts";
import { CodexReader } from "./reader.ts";
import { session } from "./session.ts";

/** OpenAI's Codex, by `codex exec`. It knows no limit of turns, so that is kept by whoever follows the run. */
export const codex: AgentDriver = {
  name: "codex",
  title: "Codex",
  template: "codex",
  abilities: { answers: "own", resume: true, maxTurns: false },
  launch,
  reader: (task) => new CodexReader(task),
  session,
};
