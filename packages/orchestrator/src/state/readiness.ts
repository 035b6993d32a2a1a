import type { Queryable } from "./rows.ts";

/**
 * Makes every stage that nobody has claimed *ready* or *waiting*, from what is true now: its loop runs (or plans; or has
 * no budget, where it is merged, which costs nothing), and all that its task needs is done. Claims look at ready ones
 * only, so that waiting ones cost them nothing. Part of every transaction that changes one of these; with `around`, only
 * that task and those that need it are looked at.
 */
export async function refreshReadiness(on: Queryable, loop: string, around?: string): Promise<void> {
  await on.query(
    `update stages s set state = fresh.state
     from (
       select s.id, case when ${isReady} then 'ready' else 'waiting' end as state
       from stages s join loops l on l.id = s.loop_id
       where s.loop_id = $1 and s.state in ('waiting', 'ready')
         ${around === undefined ? "" : isAround}
     ) fresh
     where s.id = fresh.id and s.state <> fresh.state`,
    around === undefined ? [loop] : [loop, around],
  );
}

const isReady = `(l.status = case when s.kind = 'plan' then 'planning' else 'running' end
    or (s.kind = 'merge' and l.reason = 'budget'))
  and not exists (
    select 1 from task_dependencies d join tasks n on n.id = d.needs_id
    where d.task_id = s.task_id and n.status <> 'done')`;

/** As an array: with it the stages are found by their tasks, and not looked for among all of the loop. */
const isAround = `and s.task_id = any (array(
  select $2::uuid union all select task_id from task_dependencies where needs_id = $2))`;
