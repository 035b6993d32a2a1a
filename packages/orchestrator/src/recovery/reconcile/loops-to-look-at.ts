import { z } from "zod";
import { allRows, type Queryable } from "../../state/rows.ts";

/** Running loops with a queued task that may never run, or a blocked one that may again: few, whatever is queued. */
export async function loopsToSettle(on: Queryable): Promise<string[]> {
  return ids(
    on,
    `select l.id from loops l where l.status = 'running' and (
       exists (select 1 from tasks t where t.loop_id = l.id and t.status = 'blocked' and t.reason = 'dependency_failed')
       or exists (
         select 1 from tasks n join task_dependencies d on d.needs_id = n.id join tasks t on t.id = d.task_id
         where n.loop_id = l.id and n.status in ('failed', 'cancelled') and t.status = 'queued'))
     order by l.ordinal`,
  );
}

/** Running loops without any task that somebody or something still moves. */
export async function loopsThatMayBeOver(on: Queryable): Promise<string[]> {
  return ids(
    on,
    `select l.id from loops l where l.status = 'running' and not exists (
       select 1 from tasks t where t.loop_id = l.id and (t.status in ('queued', 'running')
         or (t.status = 'blocked' and t.reason <> 'dependency_failed')))
     order by l.ordinal`,
  );
}

async function ids(on: Queryable, text: string): Promise<string[]> {
  return (await allRows(on, z.object({ id: z.string() }), text)).map(({ id }) => id);
}
