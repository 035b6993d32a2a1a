import type { Queryable } from "../state/rows.ts";
import { listMessages, mostMessages, type TaskMessageRow } from "../state/task-messages.ts";
import type { TaskRow } from "../state/tasks.ts";

/**
 * What people said to a task and an agent heard, oldest first, as far as it is not told anyway: now, or as a point of its
 * rework.
 */
export async function saidBefore(
  on: Queryable,
  { id, rework }: Pick<TaskRow, "id" | "rework">,
  now: readonly TaskMessageRow[] = [],
): Promise<TaskMessageRow[]> {
  const { items } = await listMessages(on, { task: id, limit: mostMessages });
  const told = new Set([...(rework?.points ?? []), ...now].map(key));
  return items.filter((message) => message.givenAt !== null && !told.has(key(message)));
}

function key({ file, line, text }: Pick<TaskMessageRow, "file" | "line" | "text">): string {
  return JSON.stringify([file, line, text]);
}
