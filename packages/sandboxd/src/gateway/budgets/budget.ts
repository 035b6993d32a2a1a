import { z } from "zod";
import type { Scope } from "../caller.ts";
import { allTokens } from "../metering/tokens.ts";
import type { Totals } from "../metering/totals.ts";

export const budgetLimits = z.object({
  /** Input, output and what a cache gave or took, all together. */
  tokens: z.number().positive().optional(),
  usd: z.number().positive().optional(),
  requests: z.number().int().positive().optional(),
  /** Since the first request. */
  seconds: z.number().positive().optional(),
});
export type BudgetLimits = z.infer<typeof budgetLimits>;

export interface Spent {
  totals: Totals;
  /** Requests that are being answered right now. */
  underWay: number;
  now: Date;
}

/** Why the next request is refused; undefined while there is something left. */
export function exceeded(
  scope: Scope,
  limits: BudgetLimits,
  { totals, underWay, now }: Spent,
): string | undefined {
  const isDay = scope.kind === "day";
  const whose = isDay ? "this day, with all loops together," : `this ${scope.kind}`;
  const tokens = allTokens(totals.tokens);
  if (limits.tokens !== undefined && tokens >= limits.tokens)
    return `${whose} has used ${tokens} of ${limits.tokens} tokens`;
  if (limits.usd !== undefined && totals.usd >= limits.usd)
    return `${whose} has used ${dollars(totals.usd)} of ${dollars(limits.usd)}`;
  // One loop whose model has no price is stopped by itself; the others have nothing to do with it.
  if (limits.usd !== undefined && totals.unpriced > 0 && !isDay)
    return `${whose} is limited to ${dollars(limits.usd)}, and ${totals.unpricedModel ?? "its model"} has no known price`;
  if (limits.requests !== undefined && totals.requests + underWay >= limits.requests)
    return `${whose} has made ${totals.requests + underWay} of ${limits.requests} requests`;
  const since = totals.firstAt === null ? 0 : (now.getTime() - Date.parse(totals.firstAt)) / 1000;
  if (limits.seconds !== undefined && since >= limits.seconds)
    return `${whose} made its first request ${Math.floor(since)} seconds ago and had ${limits.seconds}`;
  return undefined;
}

function dollars(usd: number): string {
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}
