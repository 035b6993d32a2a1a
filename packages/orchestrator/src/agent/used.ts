import type { AgentOutcome } from "@opentiger/agents";
import type { TokenCount } from "@opentiger/schema";
import type { RunColumns } from "../state/change-columns.ts";
import { usageOfTotals } from "./gateway.ts";

/**
 * What a run has used after these tries of a question. All that it asks is one run to the gateway, which counts on; without
 * it, what the CLI says of each try comes to what the run had used before. Nothing where nobody knows.
 */
export function usedIn(
  outcomes: readonly AgentOutcome[],
  before?: Before,
): Pick<RunColumns, "tokens" | "usd"> {
  const counted = usageOfTotals(outcomes.at(-1)?.gateway);
  if (counted) return counted;
  const said = outcomes.flatMap(({ cli }) => cli.tokens ?? []);
  if (said.length === 0) return {};
  const all = before?.tokens ? [before.tokens, ...said] : said;
  const sum = (kind: keyof TokenCount): number => all.reduce((total, tokens) => total + tokens[kind], 0);
  const tokens = {
    input: sum("input"),
    output: sum("output"),
    cacheRead: sum("cacheRead"),
    cacheWrite: sum("cacheWrite"),
  };
  return {
    tokens,
    usd: outcomes.reduce((total, { cli }) => total + (cli.usd ?? 0), before?.usd ?? 0) || null,
  };
}

/** As the run's row has it. */
interface Before {
  tokens: TokenCount | null;
  usd: number | null;
}
