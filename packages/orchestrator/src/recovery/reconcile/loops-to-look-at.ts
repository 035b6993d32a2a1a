import { z } from "zod";
import { allRows, type Queryable } from "../../state/rows.ts";

/** Those that may end: one without a budget does so when all that is left of it costs nothing. */
const mayEnd = "(l.status = 'running' or l.reason = 'budget')";

/** Such loops with a task to be run that may never be, or a blocked one that may again: few, whatever is queued. */
export async function loopsToSettle(on: Queryable): Promise<string[]> {
  return ids(
    on,
    `select l.id from loops l where ${mayEnd} and (
       exists (select 1 from tasks t where t.loop_id = l.id and t.status = 'blocked' and t.reason = 'dependency_failed')
       or exists (
         select 1 from tasks n join task_dependencies d on d.needs_id = n.id join tasks t on t.id = d.task_id
         where n.loop_id = l.id and n.status in ('failed', 'cancelled')
           and (t.status = 'queued' or t.reason in ('needs_rework', 'quota_wait'))))
     order by l.ordinal`,
  );
}

/** Such loops without any task that somebody or something still moves. */
export async function loopsThatMayBeOver(on: Queryable): Promise<string[]> {
  return ids(
    on,
    `select l.id from loops l where ${mayEnd} and not exists (
       select 1 from tasks t where t.loop_id = l.id and (t.status in ('queued', 'running')
         or (t.status = 'blocked' and t.reason <> 'dependency_failed')))
     order by l.ordinal`,
  );
}

/** Those that use what their budget allows, or are about to. */
export async function loopsThatSpend(on: Queryable): Promise<string[]> {
  return ids(
    on,
    "select id from loops where status in ('running', 'planning') order by status = 'planning', ordinal",
  );
}

async function ids(on: Queryable, text: string): Promise<string[]> {
  return (await allRows(on, z.object({ id: z.string() }), text)).map(({ id }) => id);
}
