import { restOfTokens, type TokenCount } from "@opentiger/schema";
import type { SessionRequest } from "../driver.ts";
import type { CodexUsage } from "./events.ts";

/** In our count nothing is counted twice: `input` is only what no cache had a part in. */
export function tokensOf(usage: CodexUsage): TokenCount {
  const { input_tokens: all, cached_input_tokens: cacheRead, cache_write_input_tokens: cacheWrite } = usage;
  return {
    input: Math.max(0, all - cacheRead - cacheWrite),
    output: usage.output_tokens,
    cacheRead,
    cacheWrite,
  };
}

/**
 * What was used since the conversation was resumed: Codex counts from its beginning on. null where it is not known how
 * much that was before.
 */
export function tokensSince(session: SessionRequest, total: TokenCount): TokenCount | null {
  if (session.kind === "new") return total;
  const { used } = session;
  return used ? restOfTokens(total, used) : null;
}
