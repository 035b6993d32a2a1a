import { z } from "zod";
import { checkDependencies } from "./dependencies.ts";
import { appendEvent } from "./events.ts";
import { refreshReadiness } from "./readiness.ts";
import { allRows, type Queryable } from "./rows.ts";
import { storableJson } from "./storable.ts";
import type { NewTask } from "./tasks.ts";

/** What of a task can be said anew while nobody works on it. */
export type TaskEdit = Partial<NewTask>;

const columns = {
  key: ["key", ""],
  title: ["title", ""],
  role: ["role", ""],
  instructions: ["instructions", ""],
  allowedPaths: ["allowed_paths", ""],
  mayChange: ["may_change", ""],
  verify: ["verify", "::jsonb"],
  risk: ["risk", ""],
  estimate: ["estimate", ""],
  agent: ["agent", ""],
} as const satisfies Record<Exclude<keyof TaskEdit, "needs">, readonly [string, string]>;

/** What an agent is told when its conversation begins, and not again when it goes on. */
const told = ["title", "role", "instructions", "allowedPaths", "mayChange", "verify"] as const;

/**
 * Part of a transaction that has locked the loop and seen that nobody works on the task. Its stage follows its role, and
 * is ready when what it needs now is done. What would need itself in a circle is refused.
 */
export async function updateTask(
  on: Queryable,
  task: { id: string; loop: string },
  { needs, ...fields }: TaskEdit,
): Promise<void> {
  const values: unknown[] = [task.id];
  const settings = Object.entries(columns).flatMap(([field, [column, cast]]) => {
    const value = new Map<string, unknown>(Object.entries(fields)).get(field);
    if (value === undefined) return [];
    values.push(cast === "::jsonb" ? storableJson(value) : value);
    return [`${column} = $${values.length}${cast}`];
  });
  // Whoever says an agent means that one, also where the task was handed on.
  if (fields.agent !== undefined) settings.push("handed_to = null");
  if (told.some((field) => fields[field] !== undefined))
    settings.push("rework = jsonb_set(rework, '{session}', 'null')");
  await on.query(`update tasks set ${["updated_at = now()", ...settings].join(", ")} where id = $1`, values);
  if (needs) await replaceNeeds(on, task, needs);
  if (fields.role !== undefined) {
    await on.query(
      `update stages set role = $2 where task_id = $1 and kind = 'run' and state in ('waiting', 'ready')`,
      [task.id, fields.role],
    );
  }
  const edited = Object.keys({ ...fields, ...(needs ? { needs } : {}) });
  await appendEvent(on, { loop: task.loop, task: task.id, type: "task.edit", data: { edited } });
  await refreshReadiness(on, task.loop, task.id);
}

/** Looked at before they are written: the table would refuse a task that needs itself in words of its own. */
async function replaceNeeds(
  on: Queryable,
  { id, loop }: { id: string; loop: string },
  needs: readonly number[],
): Promise<void> {
  const shape = z.object({
    id: z.string(),
    number: z.number(),
    title: z.string(),
    needs: z.array(z.number()),
  });
  const all = await allRows(
    on,
    shape,
    `select t.id, t.number, t.title, array(select n.number from task_dependencies d join tasks n on n.id = d.needs_id
       where d.task_id = t.id) as needs
     from tasks t where t.loop_id = $1`,
    [loop],
  );
  checkDependencies(all.map((task) => (task.id === id ? { ...task, needs } : task)));
  await on.query("delete from task_dependencies where task_id = $1", [id]);
  await on.query(
    `insert into task_dependencies (loop_id, task_id, needs_id)
     select $1, $2, id from tasks where loop_id = $1 and number = any ($3::int[])`,
    [loop, id, [...new Set(needs)]],
  );
}
