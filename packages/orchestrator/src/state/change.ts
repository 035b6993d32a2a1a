import { stateParts } from "@opentiger/schema";
import { z } from "zod";
import { OrchestratorError } from "../errors.ts";
import { type ChangeColumns, columnSettings } from "./change-columns.ts";
import { Database } from "./database.ts";
import { appendEvent } from "./events.ts";
import { lockLoopOf } from "./locks.ts";
import { refreshReadiness } from "./readiness.ts";
import { firstRow, oneRow, type Queryable } from "./rows.ts";
import { addPlanStage, addStage, endStage } from "./stages.ts";
import {
  type By,
  type From,
  type StateOf,
  type To,
  type Transition,
  transitionOf,
  type transitions,
  type What,
} from "./transitions.ts";

interface ChangeOf<W extends What, B extends By<W>> {
  what: W;
  id: string;
  by: B;
  /** In which the caller believes it to be: in any other one nothing is done. */
  from: From<W, B>;
  /** Of the caller's lease: when that is not the newest one, nothing is done. People have none. */
  fence?: number;
  set?: ChangeColumns[W];
  /** What else the event says. No secret. */
  data?: Readonly<Record<string, unknown>>;
}

/** Where a transition leads to several states, the caller says to which. */
type Destination<W extends What, B extends By<W>> = (typeof transitions)[W][B] extends {
  to: readonly [unknown];
}
  ? { to?: To<W, B> }
  : { to: To<W, B> };

/** What one may ask for: exactly the transitions of the table. */
export type Change<W extends What = What> = {
  [Each in W]: { [B in By<Each>]: ChangeOf<Each, B> & Destination<Each, B> }[By<Each>];
}[W];

export type Changed =
  | { changed: true; event: number /** The one that was opened. */; stage: number | null }
  /** Somebody else was first, or the caller's lease is over. This is what there is. */
  | { changed: false; found: { state: string; fence: number } };

/**
 * The one function that changes the state of a task, a loop or a run: it compares state and fence, sets the new state
 * and what else is given, ends the stage and opens the next one, and writes and tells the event, all or nothing. Within a
 * transaction of the caller's it is part of that one. A stage that is ended takes its lease with it: a run that is
 * ended under the same lease is ended before its task is moved on.
 */
export async function change(on: Database | Queryable, asked: Change): Promise<Changed> {
  const transition = legalTransition(asked);
  return on instanceof Database
    ? on.transaction((connection) => apply(connection, asked, transition))
    : apply(on, asked, transition);
}

async function apply(on: Queryable, asked: Change, transition: Transition<string>): Promise<Changed> {
  const loop = await lockLoopOf(on, asked.what, asked.id);
  const to = asked.to ?? transition.to[0] ?? asked.from;
  const task = await compareAndSet(on, asked, to, transition.stage);
  if (task === undefined) return { changed: false, found: await whatThereIs(on, asked) };
  const stage = await moveStage(on, { loop, task, asked, stage: transition.stage });
  if (asked.what === "loop") await refreshReadiness(on, loop);
  else if (asked.what === "task" && (to === "done" || asked.from === "done"))
    await refreshReadiness(on, loop, asked.id);
  const event = await appendEvent(on, {
    loop,
    task,
    run: asked.what === "run" ? asked.id : null,
    type: `${asked.what}.${asked.by}`,
    data: { ...asked.data, from: asked.from, to },
  });
  return { changed: true, event, stage };
}

/** Types keep out what the caller knows to be illegal; this keeps out the rest. */
function legalTransition({ what, by, from, to }: Change): Transition<string> {
  const transition = transitionOf(what, by);
  const known = to === undefined ? transition.to.length === 1 : transition.to.some((each) => each === to);
  if (known && transition.from.includes(from)) return transition;
  throw new OrchestratorError(
    "internal",
    `${by} does not lead a ${what} from ${from} to ${to ?? "one state"}`,
  );
}

const updates = {
  task: { table: "tasks", task: "id", fence: "fence", always: "updated_at = now()" },
  loop: { table: "loops", task: "null::uuid", fence: "fence", always: "updated_at = now()" },
  run: {
    table: "runs",
    task: "task_id",
    // A run is its task's, and that of a planner its loop's.
    fence: `coalesce((select t.fence from tasks t where t.id = runs.task_id),
      (select l.fence from loops l where l.id = runs.loop_id))`,
    always: "ended_at = now()",
  },
} as const satisfies Record<What, Record<string, string>>;

const loopEnds: readonly StateOf["loop"][] = ["done", "failed", "cancelled"];

/** The id of the task that it is about, null where it is about none; undefined where nothing was changed. */
async function compareAndSet(
  on: Queryable,
  asked: Change,
  to: string,
  stage: Transition<string>["stage"],
): Promise<string | null | undefined> {
  const { table, task, fence, always } = updates[asked.what];
  const before = stateParts(asked.from);
  const after = stateParts(to);
  const hasReason = asked.what !== "run";
  const values: unknown[] = [asked.id, before.status, asked.fence ?? null, after.status];
  if (hasReason) values.push(before.reason, after.reason);
  const settings = [
    "status = $4",
    always,
    ...(hasReason ? ["reason = $6"] : []),
    ...(stage === "same" ? [] : ["fence = fence + 1"]),
    ...(asked.what === "loop" ? [`ended_at = ${loopEnds.some((end) => end === to) ? "now()" : "null"}`] : []),
    ...columnSettings(asked.what, { ...asked.set }, values),
  ];
  const row = await firstRow(
    on,
    z.object({ task: z.string().nullable() }),
    `update ${table} set ${settings.join(", ")}
     where id = $1 and status = $2 and ($3::bigint is null or ${fence} = $3)
       ${hasReason ? "and reason is not distinct from $5" : ""}
       ${asked.by === "dispute" ? "and merged_oid is null" : ""}
     returning ${task} as task`,
    values,
  );
  return row?.task;
}

async function moveStage(
  on: Queryable,
  {
    loop,
    task,
    asked,
    stage,
  }: { loop: string; task: string | null; asked: Change; stage: Transition<string>["stage"] },
): Promise<number | null> {
  if (stage === "same") return null;
  await endStage(on, { loop, task, outcome: { by: `${asked.what}.${asked.by}` } });
  if (stage === "plan") return addPlanStage(on, loop);
  if (stage === "none" || task === null) return null;
  return addStage(on, { loop, task, kind: stage });
}

async function whatThereIs(on: Queryable, { what, id }: Change): Promise<{ state: string; fence: number }> {
  const { table, fence } = updates[what];
  const reason = what === "run" ? "''" : "coalesce('(' || reason || ')', '')";
  const shape = z.object({ state: z.string(), fence: z.number() });
  return oneRow(
    on,
    shape,
    `select status || ${reason} as state, ${fence} as fence from ${table} where id = $1`,
    [id],
  );
}
