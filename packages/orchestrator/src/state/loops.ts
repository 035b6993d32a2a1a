import { randomInt } from "node:crypto";
import {
  isLoopState,
  keptPlan,
  type LoopSettings,
  type LoopSource,
  type LoopState,
  type LoopStatus,
  loopSettings,
  loopSource,
  loopSummary,
  type Plan,
} from "@opentiger/schema";
import { z } from "zod";
import type { Database } from "./database.ts";
import { appendEvent } from "./events.ts";
import { lockLoop } from "./locks.ts";
import { onePage, type Page, type PageRequest } from "./page.ts";
import { firstRow, oneRow, type Queryable } from "./rows.ts";
import { addPlanStage } from "./stages.ts";
import { storableJson } from "./storable.ts";
import { addTasks, type NewTask } from "./tasks.ts";

export interface NewLoop {
  /** Of `repositories`. */
  repository: string;
  requirement: string;
  source: LoopSource;
  settings: LoopSettings;
  baseOid?: string | null;
  branch?: string | null;
  /** What is to be done, where that is known already; else the planner is asked. */
  plan?: { tasks: readonly NewTask[]; approved: boolean };
}

export const loopRow = z.object({
  id: z.string(),
  repository: z.string(),
  requirement: z.string(),
  source: loopSource,
  settings: loopSettings,
  state: z.custom<LoopState>((state) => typeof state === "string" && isLoopState(state)),
  detail: z.string().nullable(),
  fence: z.number(),
  baseOid: z.string().nullable(),
  branch: z.string().nullable(),
  branchOid: z.string().nullable(),
  projectedOid: z.string().nullable(),
  plan: keptPlan.nullable(),
  /** Another one for every other plan: who approves one says which one they saw. */
  planVersion: z.string().nullable(),
  summary: loopSummary.nullable(),
  createdAt: z.date(),
  updatedAt: z.date(),
  endedAt: z.date().nullable(),
});
export type LoopRow = z.infer<typeof loopRow>;

const columns = `id, repository_id as repository, requirement, source, settings,
  status || coalesce('(' || reason || ')', '') as state, detail, fence, base_oid as "baseOid", branch,
  branch_oid as "branchOid", projected_oid as "projectedOid", plan,
  left(encode(sha256(convert_to(plan::text, 'UTF8')), 'hex'), 12) as "planVersion", summary, created_at as "createdAt",
  updated_at as "updatedAt", ended_at as "endedAt"`;

const byId = `select ${columns} from loops where id = $1`;

/**
 * A new loop with all its tasks, or with the stage to plan them, in one transaction: no part of it is ever seen alone.
 * Its branch begins at the base.
 */
export async function createLoop(database: Database, loop: NewLoop, id = newLoopId()): Promise<LoopRow> {
  return database.transaction(async (on) => {
    await lockLoop(on, id);
    const state = firstState(loop);
    await on.query(
      `insert into loops (id, repository_id, requirement, source, settings, status, base_oid, branch, branch_oid)
       values ($1, $2, $3, $4::jsonb, $5::jsonb, $6, $7, $8, $7)`,
      [
        id,
        loop.repository,
        loop.requirement,
        storableJson(loop.source),
        storableJson(loop.settings),
        state,
        loop.baseOid ?? null,
        loop.branch ?? null,
      ],
    );
    await appendEvent(on, { loop: id, type: "loop.create", data: { to: state } });
    if (loop.plan)
      await addTasks(on, id, loop.plan.tasks, loop.plan.approved ? "queued" : "blocked(awaiting_approval)");
    else await addPlanStage(on, id);
    return oneRow(on, loopRow, byId, [id]);
  });
}

export async function findLoop(on: Queryable, id: string): Promise<LoopRow | undefined> {
  return firstRow(on, loopRow, byId, [id]);
}

/** What it may use from now on, in all. Part of a transaction that has locked it. */
export async function setLoopBudget(
  on: Queryable,
  id: string,
  budget: NonNullable<LoopSettings["budget"]>,
): Promise<void> {
  const set = "update loops set settings = settings || jsonb_build_object('budget', $2::jsonb) where id = $1";
  await on.query(set, [id, storableJson(budget)]);
  await appendEvent(on, { loop: id, type: "loop.budget", data: { budget } });
}

/** The same for what is going to be done, and why it waits for a person. */
export async function setLoopPlan(
  on: Queryable,
  { id, detail }: Pick<LoopRow, "id" | "detail">,
  made: Plan,
): Promise<void> {
  await on.query("update loops set plan = $2::jsonb, detail = $3, updated_at = now() where id = $1", [
    id,
    storableJson(made),
    detail,
  ]);
}

/** The newest first. */
export async function listLoops(
  on: Queryable,
  { repository, status, ...page }: { repository?: string; status?: LoopStatus } & PageRequest = {},
): Promise<Page<LoopRow>> {
  return onePage(
    on,
    loopRow,
    `select ${columns}, ordinal as place from loops
     where ($3::uuid is null or repository_id = $3) and ($4::text is null or status = $4)
       and ($1::bigint is null or ordinal < $1)
     order by ordinal desc limit $2`,
    page,
    [repository ?? null, status ?? null],
  );
}

/** Eight letters and digits: short enough for names of branches and sandboxes, 2.8 million million of them. */
export function newLoopId(): string {
  const letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  return Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join("");
}

function firstState({ plan }: NewLoop): LoopState {
  if (!plan) return "planning";
  return plan.approved ? "running" : "awaiting_approval";
}
