import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryDatabase } from "../fixture/temporary-database.ts";
import type { Database } from "../state/database.ts";
import { withPreparation } from "./preparation-lock.ts";

const instance = await temporaryDatabase();
let database: Database;

beforeAll(async () => {
  database = await instance.open();
});

afterAll(() => instance.remove());

const { signal } = new AbortController();

/** Resolves when it has its locks, with what ends it; `waits` is called where it has to wait for them. */
function prepare(keys: readonly string[], waits = () => {}): Promise<() => Promise<void>> {
  return new Promise((begun, failed) => {
    let end = () => {};
    const told = new Promise<void>((resolve) => {
      end = resolve;
    });
    const ended = withPreparation(database, keys, { signal, say: waits }, async () => {
      begun(() => {
        end();
        return ended;
      });
      await told;
    });
    ended.catch(failed);
  });
}

it("more than the pool has connections are under way at once, and it still answers: they need none of it", async () => {
  const ends = await Promise.all(
    Array.from({ length: 20 }, (_, each) => prepare([`key-${each}`, `loop-${each}`])),
  );
  expect((await database.query("select 1 as answer")).rows).toEqual([{ answer: 1 }]);
  for (const end of ends) await end();
});

it("one that waits for its loop keeps nobody else from its key, and begins when the loop is free", async () => {
  const end = await prepare(["key-1", "loop"]);
  let later: Promise<() => Promise<void>> | undefined;
  await new Promise<void>((waits) => {
    later = prepare(["key-2", "loop"], waits);
  });
  await (await prepare(["key-2", "other-loop"]))();
  await end();
  await (await later)?.();
});

it("one in another process is waited for, and what a process had is free when it is gone", async () => {
  const other = await instance.open();
  await new Promise<void>((begun) => {
    void withPreparation(other, ["key"], { signal, say: () => {} }, () => {
      begun();
      return new Promise<never>(() => {});
    });
  });
  let later: Promise<() => Promise<void>> | undefined;
  await new Promise<void>((waits) => {
    later = prepare(["key"], waits);
  });
  await other.close();
  await (await later)?.();
});
