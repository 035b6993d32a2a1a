import {
  isTaskState,
  rework,
  stateParts,
  type TaskRisk,
  type TaskRole,
  type TaskState,
  type TaskStatus,
  taskRisk,
  taskRole,
  type VerifyCommand,
  verifyCommand,
} from "@opentiger/schema";
import { z } from "zod";
import { checkDependencies } from "./dependencies.ts";
import { eventsChannel } from "./events.ts";
import { onePage, type Page, type PageRequest } from "./page.ts";
import { refreshReadiness } from "./readiness.ts";
import { allRows, firstRow, type Queryable } from "./rows.ts";
import { storableJson } from "./storable.ts";

export interface NewTask {
  /** Its name in the plan, where it stands in one. */
  key?: string | null;
  title: string;
  role: TaskRole;
  instructions: string;
  /** Numbers of tasks of this loop; those that are added together are numbered on in their order. */
  needs: readonly number[];
  /** Empty: any path, and so it runs alone. */
  allowedPaths: readonly string[];
  /** Tests and protected files that it is meant to change. */
  mayChange?: readonly string[];
  verify?: readonly VerifyCommand[];
  risk?: TaskRisk;
  estimate?: string | null;
  agent?: string | null;
}

export const taskRow = z.object({
  id: z.string(),
  loop: z.string(),
  number: z.number(),
  key: z.string().nullable(),
  title: z.string(),
  role: taskRole,
  instructions: z.string(),
  allowedPaths: z.array(z.string()),
  mayChange: z.array(z.string()),
  verify: z.array(verifyCommand),
  risk: taskRisk,
  estimate: z.string().nullable(),
  state: z.custom<TaskState>((state) => typeof state === "string" && isTaskState(state)),
  detail: z.string().nullable(),
  fence: z.number(),
  notBefore: z.date().nullable(),
  baseOid: z.string().nullable(),
  candidateOid: z.string().nullable(),
  mergedOid: z.string().nullable(),
  rework: rework.nullable(),
  tries: z.record(z.string(), z.number()),
  /** Who works on it: the one that it was handed on to, else its own; null: whom the loop or the settings say. */
  agent: z.string().nullable(),
  needs: z.array(z.number()),
  createdAt: z.date(),
  updatedAt: z.date(),
});
export type TaskRow = z.infer<typeof taskRow>;

/** For a statement in which the table is `t`. */
export const taskColumns = `t.id, t.loop_id as loop, t.number, t.key, t.title, t.role, t.instructions,
  t.allowed_paths as "allowedPaths", t.may_change as "mayChange", t.verify, t.risk, t.estimate,
  t.status || coalesce('(' || t.reason || ')', '') as state, t.detail, t.fence, t.not_before as "notBefore",
  t.base_oid as "baseOid", t.candidate_oid as "candidateOid", t.merged_oid as "mergedOid", t.rework, t.tries,
  coalesce(t.handed_to, t.agent) as agent, t.created_at as "createdAt", t.updated_at as "updatedAt",
  array(select n.number from task_dependencies d join tasks n on n.id = d.needs_id
    where d.task_id = t.id order by n.number) as needs`;

/** Part of a transaction that has locked the loop. Returns their numbers. */
export async function addTasks(
  on: Queryable,
  loop: string,
  added: readonly NewTask[],
  state: "queued" | "blocked(awaiting_approval)",
): Promise<number[]> {
  const known = await numbersOf(on, loop);
  const first = Math.max(0, ...known) + 1;
  const tasks = added.map((task, index) => ({ ...task, number: first + index }));
  checkDependencies(tasks, known);
  await insertTasks(on, loop, tasks, state);
  await insertDependencies(on, loop, tasks);
  const numbers = tasks.map(({ number }) => number);
  if (state === "queued") {
    await on.query(
      `insert into stages (loop_id, task_id, kind, role, state)
       select loop_id, id, 'run', role, 'waiting' from tasks
       where loop_id = $1 and number = any ($2::int[]) order by number`,
      [loop, numbers],
    );
    await refreshReadiness(on, loop);
  }
  await on.query(
    `with added as (
       insert into events (loop_id, task_id, type, data)
       select loop_id, id, 'task.create', jsonb_build_object('to', $3::text, 'number', number) from tasks
       where loop_id = $1 and number = any ($2::int[]) order by number returning id)
     select pg_notify($4, id::text) from added`,
    [loop, numbers, state, eventsChannel],
  );
  return numbers;
}

export async function findTask(on: Queryable, id: string): Promise<TaskRow | undefined> {
  return firstRow(on, taskRow, `select ${taskColumns} from tasks t where t.id = $1`, [id]);
}

/** By what people call it. */
export async function findTaskByNumber(
  on: Queryable,
  loop: string,
  number: number,
): Promise<TaskRow | undefined> {
  const text = `select ${taskColumns} from tasks t where t.loop_id = $1 and t.number = $2`;
  return firstRow(on, taskRow, text, [loop, number]);
}

/** Of a loop, in the order of their numbers. */
export async function listTasks(
  on: Queryable,
  { loop, status, ...page }: { loop: string; status?: TaskStatus } & PageRequest,
): Promise<Page<TaskRow>> {
  return onePage(
    on,
    taskRow,
    `select ${taskColumns}, t.number as place from tasks t
     where t.loop_id = $3 and ($4::text is null or t.status = $4) and t.number > coalesce($1::int, 0)
     order by t.number limit $2`,
    page,
    [loop, status ?? null],
  );
}

interface TaskFilter {
  status?: TaskStatus;
  role?: TaskRole;
}

/** Of all loops, the newest first. */
export async function listAllTasks(
  on: Queryable,
  { status, role, ...page }: TaskFilter & PageRequest = {},
): Promise<Page<TaskRow>> {
  return onePage(
    on,
    taskRow,
    `select ${taskColumns}, t.ordinal as place from tasks t
     where ($3::text is null or t.status = $3) and ($4::text is null or t.role = $4)
       and ($1::bigint is null or t.ordinal < $1)
     order by t.ordinal desc limit $2`,
    page,
    [status ?? null, role ?? null],
  );
}

async function numbersOf(on: Queryable, loop: string): Promise<ReadonlySet<number>> {
  const row = z.object({ number: z.number() });
  const rows = await allRows(on, row, "select number from tasks where loop_id = $1", [loop]);
  return new Set(rows.map(({ number }) => number));
}

type Numbered = NewTask & { number: number };

async function insertTasks(
  on: Queryable,
  loop: string,
  tasks: readonly Numbered[],
  state: TaskState,
): Promise<void> {
  const { status, reason } = stateParts(state);
  const rows = tasks.map(({ allowedPaths, mayChange = [], ...task }) => ({
    risk: "medium",
    verify: [],
    ...task,
    allowed_paths: allowedPaths,
    may_change: mayChange,
  }));
  await on.query(
    `insert into tasks (loop_id, number, key, title, role, instructions, allowed_paths, may_change, verify, risk,
       estimate, agent, status, reason)
     select $1, number, key, title, role, instructions, allowed_paths, may_change, verify, risk, estimate, agent,
       $3, $4
     from jsonb_to_recordset($2::jsonb) as t (number int, key text, title text, role text, instructions text,
       allowed_paths text[], may_change text[], verify jsonb, risk text, estimate text, agent text)`,
    [loop, storableJson(rows), status, reason],
  );
}

async function insertDependencies(on: Queryable, loop: string, tasks: readonly Numbered[]): Promise<void> {
  const pairs = tasks.flatMap(({ number, needs }) => [...new Set(needs)].map((need) => ({ number, need })));
  await on.query(
    `insert into task_dependencies (loop_id, task_id, needs_id)
     select $1, t.id, n.id from jsonb_to_recordset($2::jsonb) as p (number int, need int)
     join tasks t on t.loop_id = $1 and t.number = p.number
     join tasks n on n.loop_id = $1 and n.number = p.need`,
    [loop, storableJson(pairs)],
  );
}
