import { OrchestratorError } from "../errors.ts";
import { change } from "../state/change.ts";
import type { Database } from "../state/database.ts";
import type { LoopRow } from "../state/loops.ts";
import { withLoop } from "./existing.ts";
import { loopNotNow } from "./refusal.ts";
import { tasksOf } from "./tasks-of.ts";

/** Lets a plan that waits for a person run, all of it at once: the one of which they saw the version, where they say so. */
export async function approveLoop(
  database: Database,
  id: string,
  { seen }: { seen?: string | undefined } = {},
): Promise<LoopRow> {
  return withLoop(database, id, async (on, loop) => {
    if (loop.state !== "awaiting_approval") throw loopNotNow(loop, "approved");
    if (seen !== undefined && seen !== loop.planVersion) throw changedSince(loop);
    for (const task of await tasksOf(on, id)) {
      if (task.state !== "blocked(awaiting_approval)") continue;
      await change(on, { what: "task", id: task.id, by: "approve", from: task.state });
    }
    await change(on, { what: "loop", id, by: "approve", from: loop.state, set: { detail: null } });
  });
}

function changedSince({ id, planVersion }: LoopRow): OrchestratorError {
  return new OrchestratorError(
    "not_allowed_now",
    `the plan of loop ${id} is not the one that you saw: its version is ${planVersion} now`,
    { remedy: `look at it again, and approve that: opentiger loop show ${id}` },
  );
}
