import type { StageKind } from "@opentiger/schema";
import type { Believed } from "./believed-loop.ts";
import { advanceBranch } from "./branch.ts";
import { type Change, change } from "./change.ts";
import type { Lease } from "./lease.ts";
import type { Queryable } from "./rows.ts";
import { transitionOf, type transitions } from "./transitions.ts";

/** What a holder may do with the stage that he has claimed. */
export const uses = {
  plan: [],
  run: ["submit", "again", "wait_for_quota", "give_up", "dispute", "dispute"],
  judge: ["pass", "reject", "rejudge", "give_up"],
  merge: ["merge", "merge", "rejudge"],
} as const satisfies Record<StageKind, readonly (keyof typeof transitions.task)[]>;

/** The lease is over: all that was done with it in this transaction is undone. */
export class Stale extends Error {}

export interface Use {
  lease: Lease;
  by: (typeof uses)[StageKind][number];
  task: Believed;
  /** That come to the branch together with the task. */
  tests: readonly Believed[];
  branchOid: string | null;
  /** null: these are tests, which wait for their code. */
  toOid: string | null;
}

/** As a stage does it: its run ends and its task moves on, in one transaction. false or Stale: it is not the holder's. */
export async function useLease(on: Queryable, use: Use): Promise<boolean> {
  const { lease, by, task } = use;
  const { fence } = lease;
  if (lease.kind === "run" && task.run !== null) {
    const ended = { what: "run", id: task.run, by: "succeed", from: "running", fence } as const;
    if (!(await change(on, ended)).changed) throw new Stale();
  }
  if (by === "merge") return merge(on, use);
  if (by === "dispute") return dispute(on, use);
  const from = lease.kind === "run" ? "running" : "blocked(awaiting_judge)";
  const set = by === "submit" ? { candidateOid: `candidate-${task.row.number}` } : {};
  const moved = await change(on, asChange({ what: "task", id: task.row.id, by, from, fence, set }));
  if (!moved.changed) throw new Stale();
  return true;
}

async function merge(on: Queryable, { lease, task, tests, branchOid, toOid }: Use): Promise<boolean> {
  const held = tests.map(({ row }) => row.id);
  const { loop, fence } = lease;
  const advance = { loop, task: task.row.id, fence, fromOid: branchOid, toOid, held };
  return (await advanceBranch(on, advance)).advanced;
}

/** The tests go back to who wrote them, and the worker waits for them: both or neither. */
async function dispute(on: Queryable, { lease, task, tests }: Use): Promise<boolean> {
  for (const { row } of tests) await change(on, { what: "task", id: row.id, by: "dispute", from: "done" });
  const again = { what: "task", id: task.row.id, by: "again", from: "running", fence: lease.fence } as const;
  if (!(await change(on, again)).changed) throw new Stale();
  return true;
}

/** Which of the transitions it is, is not known here; that it is one of the table, `change` itself sees to. */
export function asChange(asked: {
  what: "task" | "loop";
  id: string;
  by: string;
  from: string;
  fence?: number;
  to?: string | undefined;
  set?: object;
}): Change {
  transitionOf(asked.what, asked.by);
  return asked as Change;
}
