import { noTokens, sumOfTokens, type TokenCount } from "@opentiger/schema";
import type { ClaudeResult, ClaudeUsage } from "./events.ts";

export function tokensOf(usage: ClaudeUsage): TokenCount {
  return {
    input: usage.input_tokens,
    output: usage.output_tokens,
    cacheRead: usage.cache_read_input_tokens,
    cacheWrite: usage.cache_creation_input_tokens,
  };
}

/** Of all models that were asked. */
export function totalTokens({ modelUsage }: ClaudeResult): TokenCount {
  return Object.values(modelUsage)
    .map((used) => ({
      input: used.inputTokens,
      output: used.outputTokens,
      cacheRead: used.cacheReadInputTokens,
      cacheWrite: used.cacheCreationInputTokens,
    }))
    .reduce(sumOfTokens, noTokens);
}

export function isNothing(tokens: TokenCount): boolean {
  return Object.values(tokens).every((number) => number === 0);
}
