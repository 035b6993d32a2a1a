import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { ModelRequest } from "./model-request.ts";

/** How a session begins: by this its scenario is chosen. */
export interface Opening {
  /** The CLI's own id of it, or one that follows from the first prompt. */
  session: string;
  agent: AgentGuess;
  model: string;
  /** The first thing the user said. */
  prompt: string;
  system: string;
  tools: readonly string[];
}

/** Who asks, by what it says of itself. */
export type AgentGuess = "claude_code" | "codex" | "opencode" | "other";

export function openingOf(headers: IncomingHttpHeaders, asked: ModelRequest): Opening {
  const prompt = asked.items.find((item) => item.kind === "user")?.text ?? "";
  return {
    session: toldSession(headers) ?? asked.session ?? digest(`${asked.model}\n${prompt}`),
    agent: agentOf(headers),
    model: asked.model,
    prompt,
    system: asked.system,
    tools: asked.tools.map(({ name }) => name),
  };
}

export function agentOf({ "user-agent": name = "" }: IncomingHttpHeaders): AgentGuess {
  if (name.startsWith("claude-cli/")) return "claude_code";
  if (name.startsWith("codex")) return "codex";
  return name.startsWith("opencode/") ? "opencode" : "other";
}

/** Each of the three says which session it is, in a header of its own. */
function toldSession(headers: IncomingHttpHeaders): string | undefined {
  const told = headers["x-claude-code-session-id"] ?? headers["x-session-id"] ?? headers["session-id"];
  return Array.isArray(told) ? told[0] : told;
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
