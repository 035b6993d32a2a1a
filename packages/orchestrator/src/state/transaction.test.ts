import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { until } from "../../../../tests/setup/until.ts";
import { temporaryDatabase } from "../fixture/temporary-database.ts";
import type { Database } from "./database.ts";
import { allRows } from "./rows.ts";
import { showingLife } from "./transaction.ts";

const instance = await temporaryDatabase();

let database: Database;

beforeAll(async () => {
  database = await instance.open();
  await database.query("create table numbers (n int primary key)");
  await database.query("insert into numbers values (1), (2)");
});

afterAll(() => instance.remove());

it("a process that has stopped in a transaction keeps others from what it has locked for no longer than they wait", async () => {
  const { rows } = await database.query(
    `select bool_and(setting::int > 0) as bounded, max(setting::int) filter (where name = 'lock_timeout')
       > max(setting::int) filter (where name like 'idle%') as outlasts
     from pg_settings where name in ('lock_timeout', 'idle_in_transaction_session_timeout')`,
  );
  expect(rows).toEqual([{ bounded: true, outlasts: true }]);
});

it("it is given up, others go on, and what it writes when it wakes is refused", async () => {
  const sleeper = await instance.open({ program: "sleeper" });
  let [hasLock, isAwake] = [false, false];
  const sleeping = sleeper.transaction(async (connection) => {
    await connection.query("set local idle_in_transaction_session_timeout = 300");
    await connection.query("update numbers set n = 10 where n = 1");
    hasLock = true;
    await until("it wakes up", () => isAwake);
    await connection.query("update numbers set n = 20 where n = 2");
  });
  sleeping.catch(() => {});
  await until("it has the lock", () => hasLock);
  await database.query("update numbers set n = 3 where n = 1");
  isAwake = true;
  await expect(sleeping).rejects.toMatchObject({ code: "database_unavailable" });
  expect(await numbers()).toEqual([2, 3]);
  // It has not kept the connection that was ended.
  expect((await sleeper.query("select 1 as n")).rows).toEqual([{ n: 1 }]);
});

it.each(["lock_timeout", "statement_timeout"])(
  "who waited for too long, by its %s, is told to try it again, and keeps its connection",
  async (timeout) => {
    const waiter = await instance.open({ program: "waiter" });
    let isOver = false;
    let hasLock = false;
    const holding = database.transaction(async (connection) => {
      await connection.query("select 1 from numbers for update");
      hasLock = true;
      await until("nobody waits any more", () => isOver);
    });
    await until("it has the lock", () => hasLock);
    await waiter.borrow(async (connection) => {
      const { rows: before } = await connection.query("select pg_backend_pid() as pid");
      await connection.query(`set ${timeout} = 50`);
      const waiting = connection.query("select 1 from numbers for update");
      await expect(waiting).rejects.toMatchObject({
        code: "database_unavailable",
        remedy: expect.stringContaining("try it again"),
      });
      expect((await connection.query("select pg_backend_pid() as pid")).rows).toEqual(before);
    });
    isOver = true;
    await holding;
  },
);

it("one that does something else meanwhile is not taken for it", async () => {
  const done = await database.transaction(async (connection) => {
    await connection.query("set local idle_in_transaction_session_timeout = 1000");
    return showingLife(connection, () => sleep(1_500, "done"), 50);
  });
  expect(done).toBe("done");
});

async function numbers(): Promise<number[]> {
  const rows = await allRows(database, z.object({ n: z.number() }), "select n from numbers order by n");
  return rows.map(({ n }) => n);
}
