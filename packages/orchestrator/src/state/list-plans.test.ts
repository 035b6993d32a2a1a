import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { temporaryDatabase } from "../fixture/temporary-database.ts";
import { newLoop } from "../fixture/temporary-loops.ts";
import type { Database } from "./database.ts";
import { listEvents } from "./events.ts";
import type { Queryable } from "./rows.ts";
import { listRuns, listTaskRuns } from "./runs.ts";
import { listAllTasks, listTasks } from "./tasks.ts";

const instance = await temporaryDatabase();
const rows = 20_000;

let database: Database;
let loop: string;
let task: string;
let run: string;

beforeAll(async () => {
  database = await instance.open();
  const made = await newLoop(database, []);
  loop = made.loop.id;
  // One in a thousand is what somebody looks for, and all of those are old.
  const rare = "n <= 20";
  await database.query(
    `insert into tasks (loop_id, number, title, role, instructions, allowed_paths, risk, status)
     select $1, n, 'A task', case when ${rare} then 'docser' else 'worker' end, 'Do it.', '{}', 'low',
       case when ${rare} then 'failed' else 'done' end
     from generate_series(1, ${rows}) n`,
    [loop],
  );
  await database.query(
    `insert into task_dependencies (loop_id, task_id, needs_id)
     select t.loop_id, t.id, n.id from tasks t join tasks n on n.number = t.number - 1`,
  );
  await database.query(
    `insert into stages (loop_id, task_id, kind, role, state)
     select loop_id, id, 'run', 'worker', 'ended' from tasks order by number`,
  );
  await database.query(
    `insert into runs (loop_id, task_id, stage_id, number, agent, role, status)
     select t.loop_id, t.id, s.id, 1, case when t.number <= 20 then 'opencode' else 'claude_code' end, t.role,
       case when t.number <= 20 then 'lost' else 'succeeded' end
     from tasks t join stages s on s.task_id = t.id order by t.number`,
  );
  await database.query(
    `insert into events (loop_id, task_id, run_id, type, data)
     select loop_id, task_id, id, 'task.note', '{}' from runs order by ordinal`,
  );
  await database.query("analyze");
  [task, run] = await firstIds();
}, 120_000);

afterAll(() => instance.remove());

async function firstIds(): Promise<[string, string]> {
  const { items } = await listTaskRuns(database, {
    task: (await listTasks(database, { loop })).items[0]?.id ?? "",
  });
  return [items[0]?.task ?? "", items[0]?.id ?? ""];
}

const plan = z.array(z.object({ "QUERY PLAN": z.array(z.object({ Plan: z.unknown() })) }));

/** What the database would do for each statement that is asked through it. */
function explaining(plans: string[]): Queryable {
  return {
    query: async (text, values) => {
      const { rows: said } = await database.query(`explain (format json) ${text}`, values);
      plans.push(JSON.stringify(plan.parse(said)));
      return { rows: [], count: 0 };
    },
  };
}

it.each<[string, (on: Queryable) => Promise<unknown>]>([
  ["all tasks", (on) => listAllTasks(on)],
  ["tasks by status", (on) => listAllTasks(on, { status: "failed" })],
  ["tasks by role", (on) => listAllTasks(on, { role: "docser" })],
  ["tasks by status and role", (on) => listAllTasks(on, { status: "failed", role: "docser", after: 500 })],
  ["tasks of a loop", (on) => listTasks(on, { loop, after: 10_000 })],
  ["tasks of a loop by status", (on) => listTasks(on, { loop, status: "failed" })],
  ["all runs", (on) => listRuns(on, {})],
  ["runs of a loop", (on) => listRuns(on, { loop, after: 10_000 })],
  ["runs by status", (on) => listRuns(on, { status: "lost" })],
  ["runs by role", (on) => listRuns(on, { role: "docser" })],
  ["runs by agent", (on) => listRuns(on, { agent: "opencode" })],
  ["runs of a task", (on) => listTaskRuns(on, { task })],
  ["events of a loop", (on) => listEvents(on, { loop, order: "desc" })],
  ["events of a task", (on) => listEvents(on, { loop, task })],
  ["events of a run", (on) => listEvents(on, { loop, run })],
])(`a list of %s reads no table of ${rows} rows from one end to the other`, async (_list, ask) => {
  const plans: string[] = [];
  await ask(explaining(plans));
  expect(plans).toHaveLength(1);
  expect(plans[0]).not.toContain("Seq Scan");
});

it.each<[string, string, (on: Queryable) => Promise<unknown>]>([
  ["tasks of a role", "tasks_of_all_by_role", (on) => listAllTasks(on, { role: "docser" })],
  ["runs of a role", "runs_of_all_by_role", (on) => listRuns(on, { role: "docser" })],
  ["runs of an agent", "runs_of_all_by_agent", (on) => listRuns(on, { agent: "opencode" })],
])("the few %s are found without looking at all others", async (_list, index, ask) => {
  const plans: string[] = [];
  await ask(explaining(plans));
  expect(plans[0]).toContain(index);
});
