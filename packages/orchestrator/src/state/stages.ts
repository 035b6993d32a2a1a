import { type StageKind, stageKind, stageRole, stageState } from "@opentiger/schema";
import { z } from "zod";
import { onePage, type Page, type PageRequest } from "./page.ts";
import { refreshReadiness } from "./readiness.ts";
import { allRows, firstRow, oneRow, type Queryable } from "./rows.ts";
import { storableJson } from "./storable.ts";

export const stageRow = z.object({
  id: z.number(),
  loop: z.string(),
  task: z.string().nullable(),
  kind: stageKind,
  role: stageRole,
  state: stageState,
  notBefore: z.date(),
  fence: z.number(),
  owner: z.string().nullable(),
  heartbeatAt: z.date().nullable(),
  leaseUntil: z.date().nullable(),
  outcome: z.unknown(),
  createdAt: z.date(),
  endedAt: z.date().nullable(),
});
export type StageRow = z.infer<typeof stageRow>;

const columns = `id, loop_id as loop, task_id as task, kind, role, state, not_before as "notBefore", fence,
  owner, heartbeat_at as "heartbeatAt", lease_until as "leaseUntil", outcome, created_at as "createdAt",
  ended_at as "endedAt"`;

/** The stage of a task that has not ended; there is never more than one. */
export async function openStage(on: Queryable, task: string): Promise<StageRow | undefined> {
  return firstRow(on, stageRow, `select ${columns} from stages where task_id = $1 and state <> 'ended'`, [
    task,
  ]);
}

/** Of a loop, or of one of its tasks; oldest first. */
export async function listStages(
  on: Queryable,
  { loop, task, ...page }: { loop: string; task?: string } & PageRequest,
): Promise<Page<StageRow>> {
  return onePage(
    on,
    stageRow,
    `select ${columns}, id as place from stages
     where loop_id = $3 and ($4::uuid is null or task_id = $4) and id > coalesce($1::bigint, 0)
     order by id limit $2`,
    page,
    [loop, task ?? null],
  );
}

/** Claimed by somebody who has not been heard of for longer than the lease, by the database's clock. */
export async function expiredStages(on: Queryable, limit: number): Promise<StageRow[]> {
  return allRows(
    on,
    stageRow,
    `select ${columns} from stages where state = 'claimed' and lease_until < now()
     order by lease_until, id limit $1`,
    [limit],
  );
}

/** Ends the open stage of a task, or the one to plan the loop. Whoever has claimed it is told by its next heartbeat. */
export async function endStage(
  on: Queryable,
  { loop, task, outcome }: { loop: string; task: string | null; outcome: unknown },
): Promise<void> {
  await on.query(
    `update stages set state = 'ended', ended_at = now(), outcome = $3::jsonb
     where state <> 'ended' and loop_id = $1 and task_id is not distinct from $2::uuid`,
    [loop, task, storableJson(outcome)],
  );
}

const roleOfKind = { run: null, judge: "judge", merge: "merger" } as const;

/** The stage in which a loop is planned. */
export async function addPlanStage(on: Queryable, loop: string): Promise<number> {
  const { id } = await oneRow(
    on,
    z.object({ id: z.number() }),
    "insert into stages (loop_id, kind, role, state) values ($1, 'plan', 'planner', 'waiting') returning id",
    [loop],
  );
  await refreshReadiness(on, loop);
  return id;
}

/** Opens the next stage of a task, not to be claimed before the task says. Returns its id. */
export async function addStage(
  on: Queryable,
  { loop, task, kind }: { loop: string; task: string; kind: Exclude<StageKind, "plan"> },
): Promise<number> {
  const { id } = await oneRow(
    on,
    z.object({ id: z.number() }),
    `insert into stages (loop_id, task_id, kind, role, state, not_before)
     select loop_id, id, $2, coalesce($3, role), 'waiting', greatest(not_before, now())
     from tasks where id = $1 returning id`,
    [task, kind, roleOfKind[kind]],
  );
  await refreshReadiness(on, loop, task);
  return id;
}
