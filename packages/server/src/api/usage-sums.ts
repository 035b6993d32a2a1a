import { allRows, type Queryable } from "@opentiger/orchestrator";
import { z } from "zod";

export interface UsageQuestion {
  by: "day" | "loop" | "agent" | "model" | "role";
  /** Days, in UTC. */
  from?: string | undefined;
  to?: string | undefined;
  /** The key that the page before ended with. */
  after?: string | undefined;
  limit?: number | undefined;
}

const keys = {
  day: "to_char(started_at at time zone 'UTC', 'YYYY-MM-DD')",
  loop: "loop_id",
  agent: "agent",
  // An agent that did not say which one it used.
  model: "coalesce(model, '')",
  role: "role",
} as const;

const row = z.object({
  key: z.string(),
  runs: z.number(),
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  total: z.number(),
  usd: z.number().nullable(),
});

/** A page of what the runs used that were started in these days. The largest key first: days go backwards. */
export async function usageBy(on: Queryable, { by, from, to, after, limit = 500 }: UsageQuestion) {
  const rows = await allRows(
    on,
    row,
    `select ${keys[by]} as key, count(*) as runs,
       coalesce(sum((tokens->>'input')::bigint), 0)::bigint as input,
       coalesce(sum((tokens->>'output')::bigint), 0)::bigint as output,
       coalesce(sum((tokens->>'cacheRead')::bigint), 0)::bigint as "cacheRead",
       coalesce(sum((tokens->>'cacheWrite')::bigint), 0)::bigint as "cacheWrite",
       coalesce(sum(token_total), 0)::bigint as total, sum(usd)::float8 as usd
     from runs
     where started_at >= coalesce($1::date, (now() at time zone 'UTC')::date - 30) at time zone 'UTC'
       and ($2::date is null or started_at < ($2::date + 1) at time zone 'UTC')
     group by 1 having $3::text is null or ${keys[by]} collate "C" < $3 order by ${keys[by]} collate "C" desc limit $4`,
    [from ?? null, to ?? null, after ?? null, limit + 1],
  );
  const items = rows.slice(0, limit).map(({ input, output, cacheRead, cacheWrite, ...rest }) => ({
    ...rest,
    tokens: { input, output, cacheRead, cacheWrite },
  }));
  return { items, next: rows.length > limit ? (items.at(-1)?.key ?? null) : null };
}
