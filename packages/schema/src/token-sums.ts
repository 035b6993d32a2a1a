import type { TokenCount } from "./agent.ts";

export const noTokens: TokenCount = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function sumOfTokens(left: TokenCount, right: TokenCount): TokenCount {
  return each((kind) => left[kind] + right[kind]);
}

/** What of the first is not in the second. */
export function restOfTokens(all: TokenCount, told: TokenCount): TokenCount {
  return each((kind) => Math.max(0, all[kind] - told[kind]));
}

function each(number: (kind: keyof TokenCount) => number): TokenCount {
  return {
    input: number("input"),
    output: number("output"),
    cacheRead: number("cacheRead"),
    cacheWrite: number("cacheWrite"),
  };
}
