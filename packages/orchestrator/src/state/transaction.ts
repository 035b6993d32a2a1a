import { setTimeout as sleep } from "node:timers/promises";
import { errno } from "@opentiger/schema";
import type { Queryable } from "./rows.ts";

/** Somebody who lends a connection for a while. */
export interface Lender {
  /** The connection is used by nobody else meanwhile, and given back at the end, whatever happens. */
  borrow<T>(use: (connection: Queryable) => Promise<T>): Promise<T>;
}

/** PostgreSQL's word for "nothing was done, because of another transaction; try it again". */
const collisions = new Set(["40001", "40P01"]);

/** So often in a row it is no chance any more. */
const tries = 8;

/** The other one may still be writing its commit to the disk: at once, the same would happen again. Each pause is longer. */
const firstPauseMs = 2;

/**
 * Runs `work` in one transaction: all of it is done, or nothing. After a collision with another transaction it is run
 * again from the start, so it may do nothing but ask and change the database. An error in `commit` itself leaves open
 * whether it was done; whoever needs to know looks at what is there.
 */
export async function withTransaction<T>(
  lender: Lender,
  work: (connection: Queryable) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await lender.borrow((connection) => once(connection, work));
    } catch (error) {
      if (attempt >= tries || !isCollision(error)) throw error;
    }
    // Two that collided do not come back at the same moment.
    await sleep(firstPauseMs * 2 ** (attempt - 1) * (1 + Math.random()));
  }
}

/** Whether it is the whole transaction that failed, and may well succeed the next time. */
export function isCollision(error: unknown): boolean {
  return collisions.has(errno(error) ?? "");
}

/** Often enough for a server that takes a silent transaction for one of a process that has stopped. */
const signEveryMs = 2_000;

/** Does something else than ask the database, within a transaction, and gives the server signs of life meanwhile. */
export async function showingLife<T>(
  connection: Queryable,
  work: () => Promise<T>,
  everyMs: number = signEveryMs,
): Promise<T> {
  // Where one fails the transaction has failed, which its next statement tells.
  const signs = setInterval(() => void connection.query("select 1").catch(() => {}), everyMs);
  try {
    return await work();
  } finally {
    clearInterval(signs);
  }
}

async function once<T>(connection: Queryable, work: (connection: Queryable) => Promise<T>): Promise<T> {
  await connection.query("begin");
  let result: T;
  try {
    result = await work(connection);
  } catch (error) {
    // Where the connection is lost this fails too, and the server rolls back by itself.
    await connection.query("rollback").catch(() => {});
    throw error;
  }
  await connection.query("commit");
  return result;
}
