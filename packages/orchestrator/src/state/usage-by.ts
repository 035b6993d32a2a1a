import { z } from "zod";
import { allRows, type Queryable } from "./rows.ts";
import { countedAt, longestRun, sums, usage, usageRow } from "./usage.ts";

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
  day: `to_char(${countedAt} at time zone 'UTC', 'YYYY-MM-DD')`,
  loop: "loop_id",
  agent: "agent",
  // An agent that did not say which one it used.
  model: "coalesce(model, '')",
  role: "role",
} as const;

const row = usageRow.extend({ key: z.string(), runs: z.number() });

/**
 * A page of what was used in these days, as the day's budget counts it. The largest key first: days go backwards. That a
 * run began in time to count is asked for too, because that has an index.
 */
export async function usageBy(on: Queryable, { by, from, to, after, limit = 500 }: UsageQuestion) {
  const [first, end] = ["coalesce($1::date, (now() at time zone 'UTC')::date - 30)", "($2::date + 1)"];
  const rows = await allRows(
    on,
    row,
    `select ${keys[by]} as key, count(*) as runs, ${sums} from runs
     where started_at >= ${first} at time zone 'UTC' - ${longestRun}
       and ${countedAt} >= ${first} at time zone 'UTC'
       and ($2::date is null or ${countedAt} < ${end} at time zone 'UTC')
     group by 1 having $3::text is null or ${keys[by]} collate "C" < $3 order by ${keys[by]} collate "C" desc limit $4`,
    [from ?? null, to ?? null, after ?? null, limit + 1],
  );
  const items = rows.slice(0, limit).map(({ key, runs, ...used }) => ({ key, runs, ...usage(used) }));
  return { items, next: rows.length > limit ? (items.at(-1)?.key ?? null) : null };
}
