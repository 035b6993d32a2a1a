import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { temporaryDatabase } from "../../fixture/temporary-database.ts";
import type { Database } from "../database.ts";
import { allRows } from "../rows.ts";
import { migrate } from "./migrate.ts";
import { checksum, type Migration } from "./migration.ts";

const instance = await temporaryDatabase();

let database: Database;

const first: Migration = { version: 1, name: "first", sql: "create table one (n int)" };
const second: Migration = {
  version: 2,
  name: "second",
  sql: "create table two (n int); insert into two values (2)",
};
const third: Migration = { version: 3, name: "third", sql: "create table three (n int); select nonsense" };

afterAll(() => instance.remove());

beforeAll(async () => {
  database = await instance.open();
});

beforeEach(async () => {
  await database.query("drop schema if exists opentiger cascade");
});

it("each step is made once, in order, and noted with who made it", async () => {
  expect(await migrate(database, [first])).toBe(1);
  expect(await migrate(database, [first, second])).toBe(1);
  expect(await migrate(database, [first, second])).toBe(0);
  const noted = await database.query("select version, name, checksum from migrations order by version");
  expect(noted.rows).toEqual([
    { version: 1, name: "first", checksum: checksum(first) },
    { version: 2, name: "second", checksum: checksum(second) },
  ]);
});

it("of many who start at the same time one makes the steps and the others wait for it, every time", async () => {
  for (let round = 0; round < 10; round++) {
    await database.query("drop schema if exists opentiger cascade");
    const made = await Promise.all([1, 2, 3, 4].map(() => migrate(database, [first, second])));
    expect(made.filter((steps) => steps > 0)).toEqual([2]);
    expect((await database.query("select n from two")).rows).toEqual([{ n: 2 }]);
  }
});

it("a step that fails leaves nothing of any step behind", async () => {
  await expect(migrate(database, [first, second, third])).rejects.toMatchObject({ code: "42703" });
  expect(await tables()).toEqual([]);
});

it("data that a newer program changed are refused with its version, and left as they are", async () => {
  await migrate(database, [first, second]);
  await database.query("update migrations set program = '9.9.9' where version = 2");
  await expect(migrate(database, [first])).rejects.toMatchObject({
    code: "database_newer",
    remedy: expect.stringContaining("9.9.9 or newer"),
  });
  expect(await tables()).toEqual(["migrations", "one", "two"]);
});

it("data whose steps are not those of this program are refused", async () => {
  await migrate(database, [first, second]);
  const changed = { ...first, sql: "create table one (n bigint)" };
  await expect(migrate(database, [changed, second])).rejects.toMatchObject({ code: "database_altered" });
  await expect(migrate(database, [second, { ...first, version: 2 }])).rejects.toMatchObject({
    code: "database_altered",
  });
});

async function tables(): Promise<string[]> {
  const row = z.object({ name: z.string() });
  const found = await allRows(
    database,
    row,
    "select table_name as name from information_schema.tables where table_schema = 'opentiger' order by 1",
  );
  return found.map(({ name }) => name);
}
