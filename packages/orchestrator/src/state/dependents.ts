import { z } from "zod";
import { firstFew } from "../wording.ts";
import { change } from "./change.ts";
import { Database } from "./database.ts";
import { lockLoop } from "./locks.ts";
import { allRows, type Queryable } from "./rows.ts";
import { transitions } from "./transitions.ts";

export interface Settled {
  blocked: string[];
  unblocked: string[];
}

/**
 * Blocks every task that is to be run and needs one that failed or was cancelled, however many others lie between, and
 * says on whom it waits; queues again those of which that is not true any more. It may be done at any time and any number of times.
 */
export async function settleDependents(on: Database | Queryable, loop: string): Promise<Settled> {
  if (on instanceof Database) return on.transaction((connection) => settleDependents(connection, loop));
  await lockLoop(on, loop);
  const blocked: string[] = [];
  for (const { id, state, detail } of await stuckTasks(on, loop)) {
    if (state !== "blocked(dependency_failed)") {
      const asked = { what: "task", id, by: "block", from: state } as const;
      await change(on, { ...asked, set: { detail }, data: { detail } });
      blocked.push(id);
    } else {
      // It waits already; for whom may have changed.
      await on.query("update tasks set detail = $2 where id = $1 and detail is distinct from $2", [
        id,
        detail,
      ]);
    }
  }
  const unblocked: string[] = [];
  for (const { id } of await toUnblock(on, loop)) {
    const asked = { what: "task", id, by: "unblock", from: "blocked(dependency_failed)" } as const;
    const done = await change(on, { ...asked, set: { detail: null } });
    if (done.changed) unblocked.push(id);
  }
  return { blocked, unblocked };
}

/** Of each task that cannot be reached: the tasks at which the way ends. */
const stuck = `
  with recursive stuck (id, because) as (
    select d.task_id, n.id from task_dependencies d join tasks n on n.id = d.needs_id
    where d.loop_id = $1 and n.status in ('failed', 'cancelled')
    union
    select d.task_id, s.because from stuck s join task_dependencies d on d.needs_id = s.id)`;

const taskState = "t.status || coalesce('(' || t.reason || ')', '')";

/** A task that waits for many says the first few. */
const toldCauses = 3;

/** In which a task is, or waits, to be run. */
const stuckStates = [...transitions.task.block.from, ...transitions.task.block.to] as const;

interface Stuck {
  id: string;
  state: (typeof stuckStates)[number];
  detail: string;
}

async function stuckTasks(on: Queryable, loop: string): Promise<Stuck[]> {
  const shape = z.object({
    id: z.string(),
    state: z.enum(stuckStates),
    causes: z.array(z.string()),
  });
  const rows = await allRows(
    on,
    shape,
    `${stuck}
     select t.id, ${taskState} as state, array_agg(
         format('task %s (%s), which %s', b.number, b.title,
           case b.status when 'failed' then 'failed' else 'was cancelled' end)
         order by b.number) as causes
     from stuck s join tasks t on t.id = s.id join tasks b on b.id = s.because
     where ${taskState} = any ($2::text[]) group by t.id order by t.number`,
    [loop, stuckStates],
  );
  return rows.map(({ causes, ...task }) => ({ ...task, detail: detailOf(causes) }));
}

function detailOf(causes: readonly string[]): string {
  return `It needs ${firstFew(causes, toldCauses).join(", and ")}.`;
}

async function toUnblock(on: Queryable, loop: string): Promise<{ id: string }[]> {
  return allRows(
    on,
    z.object({ id: z.string() }),
    `${stuck}
     select t.id from tasks t
     where t.loop_id = $1 and t.reason = 'dependency_failed' and not exists (select 1 from stuck s where s.id = t.id)
     order by t.number`,
    [loop],
  );
}
