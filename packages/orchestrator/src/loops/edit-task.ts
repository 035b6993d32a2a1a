import { editableTaskStates } from "@opentiger/schema";
import { noteOwnCommands } from "../planning/approval.ts";
import type { Database } from "../state/database.ts";
import { settleDependents } from "../state/dependents.ts";
import { type TaskEdit, updateTask } from "../state/edited-tasks.ts";
import type { TaskRow } from "../state/tasks.ts";
import { withTask } from "./existing.ts";
import { taskNotNow } from "./refusal.ts";
import { checkRules } from "./task-rules.ts";

/** Says anew what a task is to do, while nobody works on it. */
export async function editTask(database: Database, id: string, fields: TaskEdit): Promise<TaskRow> {
  return withTask(database, id, async (on, task) => {
    refuseUnlessEditable(task);
    await updateTask(on, task, fields);
    await noteOwnCommands(on, task, fields.verify);
    await checkRules(on, task.loop, task.number);
    await settleDependents(on, task.loop);
  });
}

/** Somebody who works on it has read what it is to do. */
export function refuseUnlessEditable(task: Pick<TaskRow, "loop" | "number" | "title" | "state">): void {
  if (!editableTaskStates.includes(task.state)) throw taskNotNow(task, "edited");
}
