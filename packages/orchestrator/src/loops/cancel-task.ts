import { change } from "../state/change.ts";
import type { Database } from "../state/database.ts";
import { settleDependents } from "../state/dependents.ts";
import type { TaskRow } from "../state/tasks.ts";
import { allows } from "../state/transitions.ts";
import { withTask } from "./existing.ts";
import { taskNotNow } from "./refusal.ts";

/** Ends a task at once; whoever works on it has no lease any more. Tasks that need it say that they wait for it. */
export async function cancelTask(database: Database, id: string): Promise<TaskRow> {
  return withTask(database, id, async (on, task) => {
    if (task.state === "cancelled") return;
    if (!allows("task", "cancel", task.state)) throw taskNotNow(task, "cancelled");
    await change(on, { what: "task", id, by: "cancel", from: task.state, set: { detail: null } });
    await settleDependents(on, task.loop);
  });
}
