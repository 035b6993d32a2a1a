import { z } from "zod";
import type { Database } from "../../state/database.ts";
import { oneRow } from "../../state/rows.ts";

/** Any numbers that nobody else uses. */
const lock = [84440, 0] as const;

/**
 * Does the work where no other process does the same now, else nothing. The lock is the connection's, which is kept
 * meanwhile, and goes with it.
 */
export async function withCleaning(database: Database, work: () => Promise<void>): Promise<boolean> {
  return database.borrow(async (connection) => {
    const held = z.object({ held: z.boolean() });
    const asked = "select pg_try_advisory_lock($1, $2) as held";
    if (!(await oneRow(connection, held, asked, lock)).held) return false;
    try {
      await work();
    } finally {
      await connection.query("select pg_advisory_unlock($1, $2)", lock);
    }
    return true;
  });
}
