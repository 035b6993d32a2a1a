import { z } from "zod";
import { OrchestratorError } from "../errors.ts";
import { firstRow, oneRow, type Queryable } from "./rows.ts";
import type { What } from "./transitions.ts";

/**
 * Every advisory lock of ours has its number here, so that no two have the same. The first is "tiger" in the letters of a
 * telephone. Locks of two numbers, as all but that one are, are apart from those of one.
 */
export const migrationLock = 84437;
const loopLocks = 84438;
const claimLock = 84439;

/** Of those that are held for longer than a transaction: session-locks.ts. */
export const sessionLockNumbers = { cleaning: 84440, warming: 84441, preparation: 84442 } as const;
export type SessionLockKind = keyof typeof sessionLockNumbers;

/**
 * Until the end of the transaction nobody else changes anything of this loop. So what is read now stays true, a fence
 * that was compared stays the same, and events are committed in the order of their ids.
 */
export async function lockLoop(on: Queryable, loop: string): Promise<void> {
  await on.query("select pg_advisory_xact_lock($1, hashtext($2))", [loopLocks, loop]);
}

/** The same, where it can be had at once. */
export async function tryLockLoop(on: Queryable, loop: string): Promise<boolean> {
  const row = await oneRow(
    on,
    z.object({ held: z.boolean() }),
    "select pg_try_advisory_xact_lock($1, hashtext($2)) as held",
    [loopLocks, loop],
  );
  return row.held;
}

const places = {
  task: { table: "tasks", loop: "loop_id" },
  loop: { table: "loops", loop: "id" },
  run: { table: "runs", loop: "loop_id" },
} as const satisfies Record<What, object>;

/** Locks the loop of this one, and says which it is. */
export async function lockLoopOf(on: Queryable, what: What, id: string): Promise<string> {
  const { table, loop } = places[what];
  const row = await firstRow(
    on,
    z.object({ loop: z.string() }),
    `select ${loop} as loop, pg_advisory_xact_lock($2, hashtext(${loop})) from ${table} where id = $1`,
    [id, loopLocks],
  );
  if (row) return row.loop;
  throw new OrchestratorError("not_found", `there is no ${what} ${id}`);
}

/** One claim at a time, in all loops: limits count what is claimed everywhere. */
export async function lockClaims(on: Queryable): Promise<void> {
  await on.query("select pg_advisory_xact_lock($1, 0)", [claimLock]);
}
