import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryDatabase } from "../fixture/temporary-database.ts";
import { newLoop } from "../fixture/temporary-loops.ts";
import type { Database } from "./database.ts";
import { listLoops } from "./loops.ts";
import { severalPages } from "./page.ts";
import { latestRun, listRuns } from "./runs.ts";

const instance = await temporaryDatabase();
const many = 1_200;

let database: Database;
let loop: string;
let task: string;

beforeAll(async () => {
  database = await instance.open();
  const made = await newLoop(database, [{ ...plain, title: "it" }]);
  loop = made.loop.id;
  task = made.tasks[0]?.id ?? "";
  await database.query(
    `insert into loops (id, repository_id, requirement, source, settings, status, base_oid)
     select lpad(n::text, 8, '0'), repository_id, requirement, source, settings, 'done', base_oid
     from loops, generate_series(1, ${many - 1}) n`,
  );
  const stage = `(select min(id) from stages where loop_id = $1)`;
  const run = `insert into runs (loop_id, stage_id, task_id, number, agent, role, status)`;
  await database.query(
    `${run} select $1, ${stage}, null, n, 'command', 'planner', 'failed' from generate_series(1, 2) n`,
    [loop],
  );
  await database.query(
    `${run} select $1, ${stage}, $2::uuid, n, 'command', 'worker', 'failed' from generate_series(1, ${many}) n`,
    [loop, task],
  );
});

afterAll(() => instance.remove());

const plain = { role: "worker", instructions: "Do it.", needs: [], allowedPaths: [] } as const;

it("a list that is longer than a page is given as far as it was asked for, each of it once", async () => {
  const newest = (limit: number) => severalPages(limit, (page) => listLoops(database, page));
  const some = await newest(1_000);
  expect(new Set(some.items.map(({ id }) => id)).size).toBe(1_000);
  expect((await listLoops(database, { after: some.next ?? 0, limit: 500 })).items).toHaveLength(many - 1_000);
  expect(await newest(1_001)).toMatchObject({ items: { length: 1_001 }, next: expect.any(Number) });
  for (const limit of [many, 9_999])
    expect(await newest(limit)).toMatchObject({ items: { length: many }, next: null });
  expect((await newest(20)).items).toEqual((await listLoops(database, { limit: 20 })).items);
});

it("the latest run of a plan or a task is found behind however many others", async () => {
  const { items } = await listRuns(database, { loop, limit: 500 });
  expect(items.filter((run) => run.task === null)).toEqual([]);
  expect(await latestRun(database, { loop, task: null })).toMatchObject({ role: "planner", number: 2 });
  expect(await latestRun(database, { loop, task })).toMatchObject({ role: "worker", number: many });
  expect(await latestRun(database, { loop: "00000001", task: null })).toBeUndefined();
});
