import type { Queryable } from "../state/rows.ts";
import { listTasks, type TaskRow } from "../state/tasks.ts";

/** More than a page may have is asked for in pages. */
const pageSize = 500;

/** All tasks of a loop, in the order of their numbers. A plan is bounded, and so are they. */
export async function tasksOf(on: Queryable, loop: string): Promise<TaskRow[]> {
  const tasks: TaskRow[] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: Awaited<ReturnType<typeof listTasks>> = await listTasks(on, { loop, after, limit: pageSize });
    tasks.push(...page.items);
    after = page.next ?? undefined;
  }
  return tasks;
}
