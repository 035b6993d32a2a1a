import { change } from "../state/change.ts";
import type { Database } from "../state/database.ts";
import { settleDependents } from "../state/dependents.ts";
import type { LoopRow } from "../state/loops.ts";
import { withLoop } from "./existing.ts";
import { loopNotNow } from "./refusal.ts";
import { reopenLoop, requeue } from "./retry-task.ts";
import { tasksOf } from "./tasks-of.ts";

/** Tries everything again that failed in this loop: its tasks, or the plan where it came to none. */
export async function retryLoop(database: Database, id: string): Promise<LoopRow> {
  return withLoop(database, id, async (on, loop) => {
    const tasks = await tasksOf(on, id);
    if (tasks.length === 0 && loop.state === "failed") {
      const set = { detail: null, summary: null };
      return change(on, { what: "loop", id, by: "replan", from: loop.state, set });
    }
    const failed = tasks.filter(({ state }) => state === "failed");
    if (failed.length === 0) throw loopNotNow(loop, "retried", "No task of it has failed.");
    await reopenLoop(on, loop);
    for (const task of failed) await requeue(on, task);
    return settleDependents(on, id);
  });
}
