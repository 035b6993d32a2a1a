import { OrchestratorError } from "../errors.ts";
import type { Database } from "../state/database.ts";
import { lockLoop } from "../state/locks.ts";
import { findLoop, type LoopRow } from "../state/loops.ts";
import type { Queryable } from "../state/rows.ts";
import { findTask, type TaskRow } from "../state/tasks.ts";
import { keepWaitingPlan } from "./waiting-plan.ts";

/** Does something to a loop that somebody named, in one transaction in which nobody else changes it. As it is then. */
export async function withLoop(
  database: Database,
  id: string,
  work: (on: Queryable, loop: LoopRow) => Promise<unknown>,
): Promise<LoopRow> {
  return database.transaction(async (on) => {
    await lockLoop(on, id);
    await work(on, await existingLoop(on, id));
    return keepWaitingPlan(on, await existingLoop(on, id));
  });
}

/** The same to a task. */
export async function withTask(
  database: Database,
  id: string,
  work: (on: Queryable, task: TaskRow) => Promise<unknown>,
): Promise<TaskRow> {
  return database.transaction(async (on) => {
    const { loop } = await existingTask(on, id);
    await lockLoop(on, loop);
    await work(on, await existingTask(on, id));
    await keepWaitingPlan(on, await existingLoop(on, loop));
    return existingTask(on, id);
  });
}

export async function existingLoop(on: Queryable, id: string): Promise<LoopRow> {
  const loop = await findLoop(on, id);
  if (loop) return loop;
  throw new OrchestratorError("not_found", `there is no loop ${id}`, {
    remedy: "`opentiger loop ls` shows those that there are",
  });
}

export async function existingTask(on: Queryable, id: string): Promise<TaskRow> {
  const task = uuid.test(id) ? await findTask(on, id) : undefined;
  if (task) return task;
  throw new OrchestratorError("not_found", `there is no task ${id}`, {
    remedy: "`opentiger task ls LOOP` shows those of a loop",
  });
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
