import type { OrchestratorError } from "../errors.ts";
import { change } from "../state/change.ts";
import { settleDependents } from "../state/dependents.ts";
import type { LoopRow } from "../state/loops.ts";
import { withLoop } from "./existing.ts";
import { type MoreBudget, takeBudget } from "./more-budget.ts";
import { loopNotNow, refuseDiscarded } from "./refusal.ts";
import { reopenLoop, requeue } from "./retry-task.ts";
import type { LoopPlace } from "./start-loop.ts";
import { tasksOf } from "./tasks-of.ts";

/**
 * Tries everything again that failed in this loop: its tasks, or the plan where it came to none; with another budget where
 * one is given. Without any left it stays as it is. A loop without a plan has nothing on its branch, and begins at the
 * commit that is checked out then: what a person corrected there is found.
 */
export async function retryLoop(
  { database, config }: LoopPlace,
  id: string,
  more: MoreBudget = {},
): Promise<LoopRow> {
  return withLoop(database, id, async (on, loop) => {
    const tasks = await tasksOf(on, id);
    const failed = tasks.filter(({ state }) => state === "failed");
    const hasNoPlan = tasks.length === 0 && loop.state === "failed";
    if (failed.length === 0 && !hasNoPlan) throw nothingFailed(loop);
    refuseDiscarded(loop);
    await takeBudget({ database: on, config }, id, more, "retry");
    if (hasNoPlan) {
      const set = { detail: null, summary: null, baseOid: null, branchOid: null };
      return change(on, { what: "loop", id, by: "replan", from: "failed", set });
    }
    await reopenLoop(on, loop);
    for (const task of failed) await requeue(on, task);
    return settleDependents(on, id);
  });
}

function nothingFailed(loop: LoopRow): OrchestratorError {
  if (loop.state === "cancelled") return loopNotNow(loop, "retried");
  return loopNotNow(loop, "retried", `No task of it has failed: opentiger loop show ${loop.id}`);
}
