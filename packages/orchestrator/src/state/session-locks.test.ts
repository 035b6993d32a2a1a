import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { temporaryDatabase } from "../fixture/temporary-database.ts";
import { connect, type Database } from "./database.ts";
import { SessionLocks } from "./session-locks.ts";

const instance = await temporaryDatabase();
let database: Database;

beforeAll(async () => {
  database = await instance.open();
});

afterAll(() => instance.remove());

const free = async (on: Pick<Database, "locks">, key = "all"): Promise<boolean> =>
  (await on.locks.whileHeld("cleaning", [key], async () => {})) !== undefined;

/** In this database alone: others are on the same server. */
const endHolders = `select pg_terminate_backend(pid) from pg_locks
  where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`;

it("what is held is nobody else's, in this process and in others, until the work has ended", async () => {
  const other = await instance.open();
  const held = await database.locks.whileHeld("cleaning", ["all"], async () => {
    expect([await free(database), await free(other)]).toEqual([false, false]);
    expect([await free(database, "more"), await free(other, "more")]).toEqual([true, true]);
    const warming = await other.locks.whileHeld("warming", ["all"], async () => "another kind");
    return warming?.result;
  });
  expect(held).toEqual({ result: "another kind" });
  expect([await free(database), await free(other)]).toEqual([true, true]);
  await other.close();
});

it("of several locks none is kept where one is somebody else's", async () => {
  const other = await instance.open();
  await database.locks.whileHeld("cleaning", ["second"], async () => {
    const both = await other.locks.whileHeld("cleaning", ["first", "second"], async () => "both");
    expect(both).toBeUndefined();
    expect([await free(database, "first"), await free(other, "first")]).toEqual([true, true]);
  });
  await other.close();
});

it("work that fails gives its locks back", async () => {
  const failing = database.locks.whileHeld("cleaning", ["all"], () => Promise.reject(new Error("broken")));
  await expect(failing).rejects.toThrow("broken");
  expect(await free(database)).toBe(true);
});

it("a lost connection takes its locks with it, and the next one is made", async () => {
  const other = await instance.open();
  await database.locks.whileHeld("cleaning", ["all"], async () => {
    await other.query(endHolders);
    expect(await free(database, "more"), "the process can hold others").toBe(true);
    expect(await free(database), "its own are its own while it works").toBe(false);
    expect(await free(other)).toBe(true);
  });
  expect(await free(database)).toBe(true);
  await other.close();
});

it("a connection that could not be made is tried anew by whoever asks next", async () => {
  let tries = 0;
  const open = () => {
    tries += 1;
    return tries === 1 ? Promise.reject(new Error("not yet")) : connect(database.route.connection);
  };
  const late = { locks: new SessionLocks(open, "here") };
  await expect(free(late)).rejects.toThrow("not yet");
  expect(await free(late)).toBe(true);
  await late.locks.close();
});

it("a process that says nothing any more loses its locks, and one that goes on keeps them", async () => {
  const open = () => connect(database.route.connection);
  const stopped = { locks: new SessionLocks(open, "here", { mostMs: 300, saysEveryMs: 60_000 }) };
  await stopped.locks.whileHeld("cleaning", ["all"], async () => {
    await vi.waitFor(async () => expect(await free(database)).toBe(true), { timeout: 20_000 });
  });
  expect(await free(stopped), "it wakes up").toBe(true);
  await stopped.locks.close();
  const going = { locks: new SessionLocks(open, "here", { mostMs: 2_000, saysEveryMs: 100 }) };
  await going.locks.whileHeld("cleaning", ["all"], async () => {
    const begun = Date.now();
    await vi.waitUntil(() => Date.now() - begun > 3_000, { timeout: 20_000 });
    expect(await free(database)).toBe(false);
  });
  await going.locks.close();
});
