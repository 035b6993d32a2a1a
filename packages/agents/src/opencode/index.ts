import type { AgentDriver } from "../driver.ts";
import { launch } from "./launch.ts";
import { OpenCodeReader } from "./reader.ts";
import { session } from "./session.ts";

/** OpenCode, by `opencode run`. It has no way of its own to ask for an answer in a form, so that is asked for in words. */
export const opencode: AgentDriver = {
  name: "opencode",
  title: "OpenCode",
  template: "opencode",
  abilities: { answers: "prompt", resume: true, maxTurns: true },
  launch,
  reader: (task) => new OpenCodeReader(task),
  session,
};
