import { allRows, firstRow, type Queryable } from "./rows.ts";
import { type TaskRow, taskColumns, taskRow } from "./tasks.ts";

/**
 * The tests that were written for this task before its code: done, judged, and not yet on the branch. They come to it
 * together with the code.
 */
export async function heldTests(on: Queryable, task: string): Promise<TaskRow[]> {
  return allRows(
    on,
    taskRow,
    `select ${taskColumns} from tasks t join task_dependencies h on h.needs_id = t.id
     where h.task_id = $1 and t.role = 'tester' and t.status = 'done' and t.merged_oid is null
       and t.candidate_oid is not null
     order by t.number`,
    [task],
  );
}

/**
 * The worker's task for which a tester writes; undefined where there is none, and its tests stand for themselves. One
 * that was cancelled counts only where no other took its place.
 */
export async function testedWorker(on: Queryable, tester: string): Promise<TaskRow | undefined> {
  return firstRow(
    on,
    taskRow,
    `select ${taskColumns} from tasks t join task_dependencies h on h.task_id = t.id
     where h.needs_id = $1 and t.role = 'worker'
     order by t.status = 'cancelled', t.number limit 1`,
    [tester],
  );
}
