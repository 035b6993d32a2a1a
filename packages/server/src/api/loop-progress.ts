import { z } from "@hono/zod-openapi";
import { allRows, type Queryable } from "@opentiger/orchestrator";
import { taskStatuses } from "@opentiger/schema";

const counts = z.object({
  queued: z.number().int(),
  running: z.number().int(),
  blocked: z.number().int(),
  done: z.number().int(),
  failed: z.number().int(),
  cancelled: z.number().int(),
});

/** How far a loop is: how many of its tasks are in each status, and what was used for it. */
export const progressShape = counts
  .extend({ total: z.number().int(), tokens: z.number().int(), usd: z.number().nullable() })
  .openapi("LoopProgress");
export type LoopProgress = z.infer<typeof progressShape>;

const row = progressShape.extend({ loop: z.string() });

/** Of each of these loops. */
export async function progressOf(
  on: Queryable,
  loops: readonly string[],
): Promise<ReadonlyMap<string, LoopProgress>> {
  const each = taskStatuses.map((status) => `count(*) filter (where status = '${status}') as ${status}`);
  const rows = await allRows(
    on,
    row,
    `select loops.id as loop, ${taskStatuses.map((status) => `t.${status}`).join(", ")}, t.total, r.tokens, r.usd
     from loops
     cross join lateral (select count(*) as total, ${each.join(", ")} from tasks where loop_id = loops.id) t
     cross join lateral (
       select coalesce(sum(token_total), 0)::bigint as tokens, sum(usd)::float8 as usd
       from runs where loop_id = loops.id) r
     where loops.id = any($1)`,
    [loops],
  );
  return new Map(rows.map(({ loop, ...progress }) => [loop, progress]));
}

/** Of a loop that was begun while we looked. */
export const noProgress: LoopProgress = {
  queued: 0,
  running: 0,
  blocked: 0,
  done: 0,
  failed: 0,
  cancelled: 0,
  total: 0,
  tokens: 0,
  usd: null,
};
