import type { TokenCount } from "@opentiger/schema";
import type { ClaudeResult, ClaudeUsage } from "./events.ts";

export const noTokens: TokenCount = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

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
    .reduce(sumOf, noTokens);
}

export function sumOf(left: TokenCount, right: TokenCount): TokenCount {
  return each((name) => left[name] + right[name]);
}

/** What of the first is not in the second. */
export function restOf(all: TokenCount, told: TokenCount): TokenCount {
  return each((name) => Math.max(0, all[name] - told[name]));
}

export function isNothing(tokens: TokenCount): boolean {
  return Object.values(tokens).every((number) => number === 0);
}

function each(number: (name: keyof TokenCount) => number): TokenCount {
  return {
    input: number("input"),
    output: number("output"),
    cacheRead: number("cacheRead"),
    cacheWrite: number("cacheWrite"),
  };
}
