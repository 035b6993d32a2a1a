import { type TokenCount, tokenCount } from "@opentiger/schema";
import { z } from "zod";
import { oneRow, type Queryable } from "./rows.ts";

export interface Usage {
  tokens: TokenCount;
  /** All kinds together. */
  total: number;
  /** null: nothing that was used has a known price. */
  usd: number | null;
}

export const usageRow = tokenCount.extend({ total: z.number(), usd: z.number().nullable() });

export const sums = `
  coalesce(sum((tokens->>'input')::bigint), 0)::bigint as input,
  coalesce(sum((tokens->>'output')::bigint), 0)::bigint as output,
  coalesce(sum((tokens->>'cacheRead')::bigint), 0)::bigint as "cacheRead",
  coalesce(sum((tokens->>'cacheWrite')::bigint), 0)::bigint as "cacheWrite",
  coalesce(sum(token_total), 0)::bigint as total, sum(usd)::float8 as usd`;

/** What all runs of the loop have used, those that go on with what is known of them. */
export async function usageOfLoop(on: Queryable, loop: string): Promise<Usage> {
  return usage(await oneRow(on, usageRow, `select ${sums} from runs where loop_id = $1`, [loop]));
}

/** What is written down of this one. */
export async function usageOfRun(on: Queryable, run: string): Promise<Usage> {
  return usage(await oneRow(on, usageRow, `select ${sums} from runs where id = $1`, [run]));
}

/** No run goes on for so long; without a bound all that ever ran would be looked at. */
export const longestRun = "interval '7 days'";

/** What a run has used is known at its end, and counts on that day. */
export const countedAt = "coalesce(ended_at, now())";

/**
 * The same for the runs of all loops that ended since this day began, and for those that go on, in the time of the
 * database's clock: UTC.
 */
export async function usageOfDay(on: Queryable): Promise<Usage> {
  const today = "date_trunc('day', now(), 'UTC')";
  const ended = `started_at >= ${today} - ${longestRun} and ended_at >= ${today}`;
  return usage(await oneRow(on, usageRow, `select ${sums} from runs where status = 'running' or ${ended}`));
}

export function usage({ total, usd, ...tokens }: z.infer<typeof usageRow>): Usage {
  return { tokens, total, usd };
}
