import { z } from "zod";
import type { Database } from "../state/database.ts";
import { oneRow } from "../state/rows.ts";

/** Any numbers that nobody else uses. */
const lock = [84441, 0] as const;

/** Does the work where no other process warms sandboxes now; undefined where one does. */
export async function whileAlone<T>(database: Database, work: () => Promise<T>): Promise<T | undefined> {
  return database.borrow(async (connection) => {
    const held = z.object({ held: z.boolean() });
    if (!(await oneRow(connection, held, "select pg_try_advisory_lock($1, $2) as held", lock)).held)
      return undefined;
    try {
      return await work();
    } finally {
      // Where the connection is lost so is the lock.
      await connection.query("select pg_advisory_unlock($1, $2)", lock).catch(() => {});
    }
  });
}
