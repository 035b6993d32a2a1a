import { z } from "zod";
import type { RequestEntry } from "./record.ts";
import { noTokens, sumOf } from "./tokens.ts";

export const totals = z.object({
  /** Requests to a model that were sent. */
  requests: z.number(),
  refused: z.number(),
  tokens: z.object({
    input: z.number(),
    output: z.number(),
    cacheRead: z.number(),
    cacheWrite: z.number(),
    cacheWriteHour: z.number(),
  }),
  /** Of those with a price. */
  usd: z.number(),
  /** Requests whose model has no price: `usd` says nothing of them. */
  unpriced: z.number(),
  /** The last such model. */
  unpricedModel: z.string().nullable(),
  /** Requests whose tokens are at least what was counted. */
  estimated: z.number(),
  firstAt: z.string().nullable(),
  lastAt: z.string().nullable(),
});
export type Totals = z.infer<typeof totals>;

export const noTotals: Totals = {
  requests: 0,
  refused: 0,
  tokens: noTokens,
  usd: 0,
  unpriced: 0,
  unpricedModel: null,
  estimated: 0,
  firstAt: null,
  lastAt: null,
};

export function withEntry(before: Totals, entry: RequestEntry): Totals {
  const counted = { ...before, lastAt: entry.at };
  if (entry.outcome === "refused") return { ...counted, refused: before.refused + 1 };
  if (!entry.tokens) return counted;
  const unpriced = entry.usd === null;
  return {
    ...counted,
    requests: before.requests + 1,
    tokens: sumOf(before.tokens, entry.tokens),
    usd: before.usd + (entry.usd ?? 0),
    unpriced: before.unpriced + (unpriced ? 1 : 0),
    unpricedModel: unpriced ? entry.model : before.unpricedModel,
    estimated: before.estimated + (entry.estimated ? 1 : 0),
    firstAt: before.firstAt ?? entry.at,
  };
}
