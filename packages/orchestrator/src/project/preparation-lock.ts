import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Database } from "../state/database.ts";
import { oneRow, type Queryable } from "../state/rows.ts";

/** Any number that no other lock has. */
const preparations = 84440;

/** A set-up takes seconds to minutes. */
const lookEveryMs = 500;

/**
 * Runs `work` while nobody else does for any of these keys, and waits for whoever does. The locks are the connection's: a
 * process that dies gives them back. Should the database die, two may work at the same time; what they make is the same.
 * All are held on one connection, and none while one is waited for: those that wait leave the pool to the others.
 */
export async function withPreparation<T>(
  database: Database,
  keys: readonly string[],
  { signal, say }: { signal: AbortSignal; say: (line: string) => void },
  work: () => Promise<T>,
): Promise<T> {
  for (let waited = false; ; waited = true) {
    signal.throwIfAborted();
    const tried = await database.borrow(async (connection) => {
      const held: string[] = [];
      try {
        for (const key of keys) {
          if (!(await take(connection, key))) return undefined;
          held.push(key);
        }
        return { result: await work() };
      } finally {
        for (const key of held) await giveBack(connection, key);
      }
    });
    if (tried) return tried.result;
    if (!waited) say("another process is setting the project up: waiting for it");
    await sleep(lookEveryMs, undefined, { signal });
  }
}

async function take(connection: Queryable, key: string): Promise<boolean> {
  const { held } = await oneRow(
    connection,
    z.object({ held: z.boolean() }),
    "select pg_try_advisory_lock($1, hashtext($2)) as held",
    [preparations, key],
  );
  return held;
}

/** Where the connection is lost so is the lock. */
async function giveBack(connection: Queryable, key: string): Promise<void> {
  await connection.query("select pg_advisory_unlock($1, hashtext($2))", [preparations, key]).catch(() => {});
}
