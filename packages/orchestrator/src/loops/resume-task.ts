import { change } from "../state/change.ts";
import type { Database } from "../state/database.ts";
import { settleDependents } from "../state/dependents.ts";
import type { TaskRow } from "../state/tasks.ts";
import { withTask } from "./existing.ts";
import { taskNotNow } from "./refusal.ts";

/** Queues a task again that was paused; what the judge said of it before is not forgotten. */
export async function resumeTask(database: Database, id: string): Promise<TaskRow> {
  return withTask(database, id, async (on, task) => {
    if (task.state !== "blocked(paused)") throw taskNotNow(task, "resumed");
    await change(on, { what: "task", id, by: "resume", from: task.state });
    await settleDependents(on, task.loop);
  });
}
