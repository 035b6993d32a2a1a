import { z } from "zod";
import { change } from "./change.ts";
import { Database } from "./database.ts";
import { lockLoop } from "./locks.ts";
import { oneRow, type Queryable } from "./rows.ts";

export interface BranchAdvance {
  loop: string;
  task: string;
  /** Of the lease on the merge stage. */
  fence: number;
  /** Where the branch is believed to be; null where it has no commit yet. */
  fromOid: string | null;
  /** Where it is then. null: it stays, since these are tests that wait for the code that they test. */
  toOid: string | null;
  /** Tasks whose tests come to the branch together with this one. */
  held?: readonly string[];
  data?: Readonly<Record<string, unknown>>;
}

export type Advanced =
  | { advanced: true; event: number }
  /** The branch has moved on since, or the task is not this lease's any more. Nothing was changed. */
  | { advanced: false; branchOid: string | null };

/**
 * Puts a judged candidate on the loop's branch, exactly once: the branch is compared and set, and the task is done, in
 * one transaction. What repositories show of it is made from this column afterwards, as often as it takes.
 */
export async function advanceBranch(on: Database | Queryable, asked: BranchAdvance): Promise<Advanced> {
  if (on instanceof Database) return on.transaction((connection) => advanceBranch(connection, asked));
  await lockLoop(on, asked.loop);
  const shape = z.object({ oid: z.string().nullable() });
  // The row is locked too: the comparison holds until the end, whoever else writes to it.
  const locked = "select branch_oid as oid from loops where id = $1 for update";
  const { oid } = await oneRow(on, shape, locked, [asked.loop]);
  if (oid !== asked.fromOid) return { advanced: false, branchOid: oid };
  const merged = await change(on, {
    what: "task",
    id: asked.task,
    by: "merge",
    from: "blocked(awaiting_judge)",
    fence: asked.fence,
    set: { mergedOid: asked.toOid, detail: null },
    data: { ...asked.data, fromOid: asked.fromOid, toOid: asked.toOid },
  });
  if (!merged.changed) return { advanced: false, branchOid: oid };
  if (asked.toOid !== null) await moveBranch(on, asked, asked.toOid);
  return { advanced: true, event: merged.event };
}

async function moveBranch(on: Queryable, { loop, held = [] }: BranchAdvance, toOid: string): Promise<void> {
  await on.query("update loops set branch_oid = $2, updated_at = now() where id = $1", [loop, toOid]);
  await on.query(
    "update tasks set merged_oid = $2 where loop_id = $1 and id = any ($3::uuid[]) and status = 'done'",
    [loop, toOid, held],
  );
}
