import type { ModelRequest } from "./model-request.ts";

/** What a CLI may ask beside its conversation. None of it takes a step of the scenario. */
export type SideKind = "title" | "probe" | "summary";

const titles = /^\s*(?:You are a title generator|Generate a concise, sentence-case title)/m;
const summaries = /^\s*You are a context summarization agent/;
const summaryPrompt = /^CRITICAL: Respond with TEXT ONLY\. Do NOT call any tools\./;

/**
 * A title for the conversation, whether there is any quota, or a summary to go on with where it became too long.
 * undefined: this is the conversation itself.
 */
export function sideKind({ system, tools, maxTokens, items }: ModelRequest): SideKind | undefined {
  if (tools.length === 0 && maxTokens === 1) return "probe";
  if (tools.length === 0 && titles.test(system)) return "title";
  if (tools.length === 0 && summaries.test(system)) return "summary";
  const last = items.at(-1);
  return last?.kind === "user" && summaryPrompt.test(last.text) ? "summary" : undefined;
}
