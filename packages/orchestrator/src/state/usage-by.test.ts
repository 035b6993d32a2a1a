import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { temporaryDatabase } from "../fixture/temporary-database.ts";
import { claimed, claimOf, newLoop, newTask } from "../fixture/temporary-loops.ts";
import { claimStage } from "./claims.ts";
import type { Database } from "./database.ts";
import { noteRun, startRun } from "./runs.ts";
import { usageOfDay } from "./usage.ts";
import { usageBy } from "./usage-by.ts";

const instance = await temporaryDatabase();
let database: Database;

beforeAll(async () => {
  database = await instance.open();
});

afterAll(() => instance.remove());

/** What other tests used is long ago. */
beforeEach(() =>
  database.query(
    "update runs set status = 'lost', started_at = now() - interval '1 year', ended_at = now() - interval '1 year'",
  ),
);

/** One that has used so many tokens, began and ended so many days ago; null: it goes on. */
async function ran(tokens: number, began: number, ended: number | null): Promise<void> {
  await newLoop(database, [newTask("a")]);
  const lease = await claimed(claimStage(database, claimOf("me")));
  const run = await startRun(database, lease, { agent: "codex", role: "worker" });
  const used = { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0 };
  await noteRun(database, lease, run?.id ?? "", { tokens: used });
  await database.query(
    `update runs set started_at = now() - $2 * interval '1 day', ended_at = now() - $3::int * interval '1 day',
       status = case when $3::int is null then status else 'lost' end where id = $1`,
    [run?.id, began, ended],
  );
}

/** In UTC, as the database's clock has it. */
async function day(ago: number): Promise<string> {
  const { rows } = await database.query(
    "select to_char((now() at time zone 'UTC')::date - $1::int, 'YYYY-MM-DD') as day",
    [ago],
  );
  return (rows as { day: string }[])[0]?.day ?? "";
}

it("a run counts on the day on which it ends, and one that goes on today, as for the day's budget", async () => {
  await ran(10, 3, 2);
  await ran(100, 3, 0);
  await ran(1_000, 1, null);
  const { items } = await usageBy(database, { by: "day" });
  expect(items.map(({ key, runs, total }) => [key, runs, total])).toEqual([
    [await day(0), 2, 1_100],
    [await day(2), 1, 10],
  ]);
  expect((await usageOfDay(database)).total).toBe(1_100);
});

it("of other days nothing is counted, whatever it is summed by", async () => {
  await ran(10, 5, 4);
  await ran(100, 4, 2);
  await ran(1_000, 2, 0);
  const from = await day(3);
  const to = await day(1);
  const totals = async (question: { from?: string; to?: string }) =>
    (await usageBy(database, { by: "agent", ...question })).items.map(({ key, total }) => [key, total]);
  expect(await totals({ from, to })).toEqual([["codex", 100]]);
  expect(await totals({ from })).toEqual([["codex", 1_100]]);
  expect(await totals({ from: await day(9), to })).toEqual([["codex", 110]]);
});

it("goes on page by page", async () => {
  for (const ago of [1, 2, 3]) await ran(ago, ago, ago);
  const first = await usageBy(database, { by: "day", limit: 2 });
  expect(first).toMatchObject({ next: await day(2), items: [{ total: 1 }, { total: 2 }] });
  const rest = await usageBy(database, { by: "day", limit: 2, after: first.next ?? "" });
  expect(rest).toMatchObject({ next: null, items: [{ total: 3 }] });
});
