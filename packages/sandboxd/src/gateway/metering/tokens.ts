/** What one answer cost in tokens. The four are disjoint: `input` is only what no cache had a part in. */
export interface Tokens {
  input: number;
  output: number;
  cacheRead: number;
  /** Written to a cache, for however long. */
  cacheWrite: number;
  /** The part of `cacheWrite` that is kept for an hour, which costs more. */
  cacheWriteHour: number;
}

export const noTokens: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 };

/** All that the API counted, cached or not. */
export function allTokens({ input, output, cacheRead, cacheWrite }: Tokens): number {
  return input + output + cacheRead + cacheWrite;
}

export function sumOf(left: Tokens, right: Tokens): Tokens {
  return {
    input: left.input + right.input,
    output: left.output + right.output,
    cacheRead: left.cacheRead + right.cacheRead,
    cacheWrite: left.cacheWrite + right.cacheWrite,
    cacheWriteHour: left.cacheWriteHour + right.cacheWriteHour,
  };
}
