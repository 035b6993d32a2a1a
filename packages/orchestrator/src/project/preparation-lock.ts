import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Database } from "../state/database.ts";
import { oneRow, type Queryable } from "../state/rows.ts";

/** Any number that no other lock has. */
const preparations = 84440;

/** A set-up takes seconds to minutes. */
const lookEveryMs = 500;

/**
 * Runs `work` while nobody else does for the same key, and waits for whoever does. The lock is the connection's: a process
 * that dies gives it back. Should the database die, two may work at the same time; what they make is the same.
 */
export async function withPreparation<T>(
  database: Database,
  key: string,
  { signal, say }: { signal: AbortSignal; say: (line: string) => void },
  work: () => Promise<T>,
): Promise<T> {
  for (let waited = false; ; waited = true) {
    signal.throwIfAborted();
    const tried = await database.borrow(async (connection) => {
      if (!(await take(connection, key))) return undefined;
      try {
        return { result: await work() };
      } finally {
        // Where the connection is lost so is the lock.
        await connection
          .query("select pg_advisory_unlock($1, hashtext($2))", [preparations, key])
          .catch(() => {});
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
