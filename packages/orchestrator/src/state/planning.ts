import { taskFailureType } from "@opentiger/schema";
import { z } from "zod";
import type { Database } from "./database.ts";
import { appendEvent } from "./events.ts";
import type { Lease } from "./lease.ts";
import { lockLoop } from "./locks.ts";
import { allRows, firstRow, oneRow, type Queryable } from "./rows.ts";

/** `$1` is the stage, `$2` the fence. */
const leaseHolds = "exists (select 1 from stages where id = $1 and fence = $2 and state = 'claimed')";

/**
 * Writes down at which commit the loop begins, once: whoever takes the plan over begins at the same one. Returns the one
 * that holds; undefined: the lease is over.
 */
export async function noteBase(on: Queryable, lease: Lease, baseOid: string): Promise<string | undefined> {
  const row = await firstRow(
    on,
    z.object({ base: z.string() }),
    `update loops set base_oid = coalesce(base_oid, $4), branch_oid = coalesce(base_oid, $4), updated_at = now()
     where id = $3 and ${leaseHolds} returning base_oid as base`,
    [lease.stage, lease.fence, lease.loop, baseOid],
  );
  return row?.base;
}

/** Whether the lease holds and the loop had another plan stage before this one, which came to nothing. */
export async function isPlannedAgain(on: Queryable, { stage, fence, loop }: Lease): Promise<boolean> {
  const { again } = await oneRow(
    on,
    z.object({ again: z.boolean() }),
    `select ${leaseHolds} and exists (
       select 1 from stages where loop_id = $3 and kind = 'plan' and id < $1) as again`,
    [stage, fence, loop],
  );
  return again;
}

/**
 * Tells something of a loop that is being planned, once a stage however often it is taken over. false: the lease is over.
 */
export async function tellOnce(
  database: Database,
  lease: Lease,
  type: string,
  data: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  return database.transaction(async (on) => {
    await lockLoop(on, lease.loop);
    const found = await firstRow(
      on,
      z.object({ held: z.boolean(), told: z.boolean() }),
      `select ${leaseHolds} as held, exists (
         select 1 from events where loop_id = $3 and type = $4 and (data->>'stage')::bigint = $1) as told`,
      [lease.stage, lease.fence, lease.loop, type],
    );
    if (found?.held && !found.told)
      await appendEvent(on, { loop: lease.loop, type, data: { ...data, stage: lease.stage } });
    return found?.held ?? false;
  });
}

/** What the loop's project calls tests, as it was told when the loop was planned; none where nobody has looked yet. */
export async function testPathsOf(on: Queryable, loop: string): Promise<string[]> {
  const row = await firstRow(
    on,
    z.object({ paths: z.array(z.string()).nullable() }),
    `select data->'testPaths' as paths from events where loop_id = $1 and type = 'loop.project'
     order by id desc limit 1`,
    [loop],
  );
  return row?.paths ?? [];
}

/** The event of a plan that is tried again later, or although no run of a planner failed. */
export const planAgain = "loop.plan_again";

/** How often this plan failed, by the type of the failure: with a run of the planner, or before there was one. */
export async function failuresOfPlan(
  on: Queryable,
  { stage, loop }: Pick<Lease, "stage" | "loop">,
): Promise<Record<string, number>> {
  const rows = await allRows(
    on,
    z.object({ type: taskFailureType, count: z.number() }),
    `select type, count(*) from (
       select failure->>'type' as type from runs where stage_id = $1 and failure is not null
       union all
       select data->>'failure' from events
       where loop_id = $2 and type = '${planAgain}' and (data->>'stage')::bigint = $1 and run_id is null
     ) failed group by 1`,
    [stage, loop],
  );
  return Object.fromEntries(rows.map(({ type, count }) => [type, count]));
}
