import { stageKind, stageRole } from "@opentiger/schema";
import { z } from "zod";
import { change } from "./change.ts";
import { Database } from "./database.ts";
import { lockLoop } from "./locks.ts";
import { refreshReadiness } from "./readiness.ts";
import { firstRow, oneRow, type Queryable } from "./rows.ts";

/**
 * The right to work on a stage. Every claim and every take-over of a task's stages has a larger fence than the one before,
 * so that whoever has lost the lease without noticing changes nothing any more.
 */
export const lease = z.object({
  stage: z.number(),
  loop: z.string(),
  task: z.string().nullable(),
  kind: stageKind,
  role: stageRole,
  owner: z.string(),
  fence: z.number(),
  /** How often it changed hands since it was claimed. */
  takenOver: z.number(),
  /** By the database's clock. */
  until: z.date(),
});
export type Lease = z.infer<typeof lease>;

const columns = `id as stage, loop_id as loop, task_id as task, kind, role, owner, fence,
  taken_over as "takenOver", lease_until as until`;

/** Says that the owner is alive. undefined: the lease is somebody else's, or the stage has ended; stop the work. */
export async function heartbeat(
  on: Queryable,
  { stage, fence }: Pick<Lease, "stage" | "fence">,
  leaseMs: number,
): Promise<Lease | undefined> {
  return firstRow(
    on,
    lease,
    `update stages set heartbeat_at = now(), lease_until = now() + $3 * interval '1 millisecond'
     where id = $1 and fence = $2 and state = 'claimed' returning ${columns}`,
    [stage, fence, leaseMs],
  );
}

/** Whether it is the newest, and its stage goes on; asked without a sign of life. */
export async function isHeld(
  on: Queryable,
  { stage, fence }: Pick<Lease, "stage" | "fence">,
): Promise<boolean> {
  const held = "select 1 from stages where id = $1 and fence = $2 and state = 'claimed'";
  return (await on.query(held, [stage, fence])).count > 0;
}

/**
 * Part of a transaction that has locked the loop: the stage, claimed with the next fence. One that was claimed already
 * has been taken over once more; how a claim before the last failed was written down, and does not count.
 */
export async function takeLease(
  on: Queryable,
  { stage, loop, task }: Pick<Lease, "stage" | "loop" | "task">,
  { owner, leaseMs }: { owner: string; leaseMs: number },
): Promise<Lease> {
  const fence = await nextFence(on, { loop, task });
  return oneRow(
    on,
    lease,
    `update stages set state = 'claimed', owner = $2, fence = $3, heartbeat_at = now(),
       taken_over = case when state = 'claimed' then taken_over + 1 else 0 end,
       lease_until = now() + $4 * interval '1 millisecond'
     where id = $1 returning ${columns}`,
    [stage, owner, fence, leaseMs],
  );
}

/**
 * Makes the stage another owner's, with the next fence, and leaves the task as it is: a run that still goes on is
 * adopted. Only when the lease has expired, or its owner is known to be dead. undefined: somebody else did, or it lives.
 */
export async function takeOver(
  on: Database | Queryable,
  expired: Pick<Lease, "stage" | "loop" | "task" | "fence">,
  taker: { owner: string; leaseMs: number; deadOwner?: string },
): Promise<Lease | undefined> {
  if (on instanceof Database) return on.transaction((connection) => takeOver(connection, expired, taker));
  await lockLoop(on, expired.loop);
  const { count } = await on.query(
    `select 1 from stages where id = $1 and fence = $2 and state = 'claimed'
       and (lease_until < now() or owner = $3) for update`,
    [expired.stage, expired.fence, taker.deadOwner ?? null],
  );
  return count === 0 ? undefined : takeLease(on, expired, taker);
}

/**
 * Gives the stage back, to be claimed by anybody, and not before the time where one is given: a running task is queued
 * again. false: it was not the holder's any more.
 */
export async function releaseLease(
  on: Database | Queryable,
  held: Lease,
  data: Readonly<Record<string, unknown>> = {},
  notBefore: Date | null = null,
): Promise<boolean> {
  if (on instanceof Database)
    return on.transaction((connection) => releaseLease(connection, held, data, notBefore));
  if (held.kind === "run" && held.task !== null) {
    const asked = { what: "task", id: held.task, by: "again", from: "running", fence: held.fence } as const;
    return (await change(on, { ...asked, data, set: { notBefore } })).changed;
  }
  await lockLoop(on, held.loop);
  const { count } = await on.query(
    `update stages set state = 'waiting', owner = null, lease_until = null,
       not_before = coalesce($3::timestamptz, not_before)
     where id = $1 and fence = $2 and state = 'claimed'`,
    [held.stage, held.fence, notBefore],
  );
  if (count === 0) return false;
  await nextFence(on, held);
  await refreshReadiness(on, held.loop);
  return true;
}

/** A task's stages count together; the stage to plan counts with its loop. */
async function nextFence(on: Queryable, { loop, task }: Pick<Lease, "loop" | "task">): Promise<number> {
  const shape = z.object({ fence: z.number() });
  const row = await (task === null
    ? oneRow(on, shape, "update loops set fence = fence + 1 where id = $1 returning fence", [loop])
    : oneRow(on, shape, "update tasks set fence = fence + 1 where id = $1 returning fence", [task]));
  return row.fence;
}
