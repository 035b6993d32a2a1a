import { change } from "../state/change.ts";
import type { Database } from "../state/database.ts";
import type { TaskRow } from "../state/tasks.ts";
import { allows } from "../state/transitions.ts";
import { withTask } from "./existing.ts";
import { taskNotNow } from "./refusal.ts";

/** Keeps a task that nobody works on from being begun. */
export async function pauseTask(database: Database, id: string): Promise<TaskRow> {
  return withTask(database, id, async (on, task) => {
    if (task.state === "blocked(paused)") return;
    if (!allows("task", "pause", task.state)) throw taskNotNow(task, "paused");
    await change(on, { what: "task", id, by: "pause", from: task.state });
  });
}
