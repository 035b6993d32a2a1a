import type { Rework } from "@opentiger/schema";
import { change } from "../state/change.ts";
import type { Database } from "../state/database.ts";
import { settleDependents } from "../state/dependents.ts";
import type { LoopRow } from "../state/loops.ts";
import type { Queryable } from "../state/rows.ts";
import type { TaskRow } from "../state/tasks.ts";
import { allows } from "../state/transitions.ts";
import { existingLoop, withTask } from "./existing.ts";
import { loopNotNow, refuseDiscarded, taskNotNow } from "./refusal.ts";

/**
 * Queues a task again that failed or was cancelled, with all its tries before it; so are the tasks that wait for it. A
 * loop that has ended is open again.
 */
export async function retryTask(database: Database, id: string): Promise<TaskRow> {
  return withTask(database, id, async (on, task) => {
    if (!allows("task", "retry", task.state)) throw taskNotNow(task, "retried");
    await reopenLoop(on, await existingLoop(on, task.loop));
    await requeue(on, task);
    await settleDependents(on, task.loop);
  });
}

/** Part of a transaction that has locked the loop. One that was cancelled or discarded stays so: this is final. */
export async function reopenLoop(on: Queryable, loop: LoopRow): Promise<void> {
  const { id, state } = loop;
  if (state === "cancelled") throw loopNotNow(loop, "opened again", "Start a new loop.");
  if (!allows("loop", "reopen", state)) return;
  refuseDiscarded(loop);
  await change(on, { what: "loop", id, by: "reopen", from: state, set: { detail: null, summary: null } });
}

/**
 * The same. What the judge said is kept for the next run; the conversation and the sandbox are gone by now. One that was
 * handed on is its own agent's again: what that one failed of may be what was mended.
 */
export async function requeue(on: Queryable, { id, state, rework }: TaskRow): Promise<void> {
  if (!allows("task", "retry", state)) return;
  const set = { detail: null, notBefore: null, tries: {}, rework: kept(rework), handedTo: null };
  await change(on, { what: "task", id, by: "retry", from: state, set });
}

function kept(rework: Rework | null): Rework | null {
  return rework && { ...rework, session: null, sandbox: null };
}
