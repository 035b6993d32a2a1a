import { change } from "../state/change.ts";
import type { Database } from "../state/database.ts";
import type { LoopRow } from "../state/loops.ts";
import { allows } from "../state/transitions.ts";
import { withLoop } from "./existing.ts";
import { loopNotNow } from "./refusal.ts";
import { summarise } from "./summarise.ts";
import { tasksOf } from "./tasks-of.ts";

/**
 * Ends a loop and all of its tasks that have not ended, at once. Whoever works on one of them has no lease any more and
 * stops; what is left of their runs and sandboxes is for the reconciler. What is on the branch stays there.
 */
export async function cancelLoop(database: Database, id: string): Promise<LoopRow> {
  return withLoop(database, id, async (on, loop) => {
    if (loop.state === "cancelled") return;
    if (!allows("loop", "cancel", loop.state)) throw loopNotNow(loop, "cancelled");
    for (const { id: task, state } of await tasksOf(on, id)) {
      if (allows("task", "cancel", state))
        await change(on, { what: "task", id: task, by: "cancel", from: state });
    }
    const set = { summary: await summarise(on, id), detail: null };
    await change(on, { what: "loop", id, by: "cancel", from: loop.state, set });
  });
}
