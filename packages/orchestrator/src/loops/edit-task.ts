import type { TaskState } from "@opentiger/schema";
import type { Database } from "../state/database.ts";
import { settleDependents } from "../state/dependents.ts";
import { type TaskEdit, updateTask } from "../state/edited-tasks.ts";
import type { TaskRow } from "../state/tasks.ts";
import { withTask } from "./existing.ts";
import { taskNotNow } from "./refusal.ts";
import { checkTesters } from "./tester-check.ts";

/** In which nobody has begun it, or what was begun goes on in another run. */
const editable: readonly TaskState[] = [
  "queued",
  "blocked(awaiting_approval)",
  "blocked(paused)",
  "blocked(needs_rework)",
  "blocked(quota_wait)",
  "blocked(dependency_failed)",
];

/** Says anew what a task is to do, while nobody works on it. */
export async function editTask(database: Database, id: string, fields: TaskEdit): Promise<TaskRow> {
  return withTask(database, id, async (on, task) => {
    if (!editable.includes(task.state)) throw taskNotNow(task, "edited");
    await updateTask(on, task, fields);
    await checkTesters(on, task.loop);
    await settleDependents(on, task.loop);
  });
}
