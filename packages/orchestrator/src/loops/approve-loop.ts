import { change } from "../state/change.ts";
import type { Database } from "../state/database.ts";
import type { LoopRow } from "../state/loops.ts";
import { withLoop } from "./existing.ts";
import { loopNotNow, refuseUnseen } from "./refusal.ts";
import { tasksOf } from "./tasks-of.ts";

/** Lets a plan that waits for a person run, all of it at once: the one of which they saw the version, where they say so. */
export async function approveLoop(
  database: Database,
  id: string,
  { seen }: { seen?: string | undefined } = {},
): Promise<LoopRow> {
  return withLoop(database, id, async (on, loop) => {
    if (loop.state !== "awaiting_approval") throw loopNotNow(loop, "approved");
    refuseUnseen(loop, seen);
    for (const task of await tasksOf(on, id)) {
      if (task.state !== "blocked(awaiting_approval)") continue;
      await change(on, { what: "task", id: task.id, by: "approve", from: task.state });
    }
    await change(on, { what: "loop", id, by: "approve", from: loop.state, set: { detail: null } });
  });
}
