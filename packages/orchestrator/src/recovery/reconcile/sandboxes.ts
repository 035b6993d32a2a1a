import type { TaskState } from "@opentiger/schema";
import { z } from "zod";
import type { Place } from "../../place.ts";
import { type LoopSandbox, loopSandboxes, onBackends } from "../../project/loop-sandboxes.ts";
import { removeSeen, unlessGone } from "../../project/remove-sandbox.ts";
import { lockLoop } from "../../state/locks.ts";
import { firstRow, type Queryable } from "../../state/rows.ts";
import { showingLife } from "../../state/transaction.ts";
import type { CleanOptions } from "./clean-options.ts";

const ended: ReadonlySet<string> = new Set<TaskState>(["done", "failed", "cancelled"]);

/** Its work was handed over: after a judgement a run begins in a new sandbox. */
const handedOver: ReadonlySet<string> = new Set<TaskState>([
  "blocked(awaiting_judge)",
  "blocked(needs_rework)",
]);

/** Whoever handed it over removes the sandbox just then, unless they were killed. */
const removalMs = 60_000;

/** Its next run may find there what the last one left, and nobody knows when that begins. */
const waiting: ReadonlySet<string> = new Set<TaskState>([
  "blocked(quota_wait)",
  "blocked(paused)",
  "blocked(dependency_failed)",
]);

const factsRow = z.object({
  loopEnded: z.boolean(),
  /** Its plan waits for a person, for as long as that takes. */
  loopWaits: z.boolean(),
  loopPaused: z.boolean(),
  task: z.string().nullable(),
  /** For how long the task has been as it is. */
  sinceMs: z.number().nullable(),
});
type Facts = z.infer<typeof factsRow>;

/**
 * Contract B6: removes the sandboxes of loops and tasks that have ended, those of tasks whose work is with the judge, those
 * of judges who have nothing to judge, and those that were kept for a task that has waited for its quota for too long; until
 * then one that is kept is stopped, and so is one of a task that waits otherwise, or whose loop is paused. All of this where
 * who should have done so was killed. The loop's own is stopped while its plan waits for a person: whoever opens it
 * starts it. A sandbox of a loop that is not in the database is somebody else's.
 */
export async function removeSandboxes(place: Place, { signal }: CleanOptions = {}): Promise<void> {
  const { sandboxes } = await loopSandboxes(place);
  for (const sandbox of sandboxes) {
    if (signal?.aborted) return;
    await putAway(place, sandbox).catch((error: unknown) =>
      place.log(`sandbox ${sandbox.summary.name}: ${String(error)}`),
    );
  }
}

/** Collects what processes left that were killed while they made or removed a sandbox. */
export async function collectHalfDone(place: Place, { halfDone = true }: CleanOptions = {}): Promise<void> {
  if (!halfDone) return;
  await onBackends(place, async (backend) => {
    for (const name of await backend.prune()) place.log(`${name} was left half done, and is collected`);
  });
}

/** The loop is locked meanwhile, so that a task which is retried does not find its sandbox and then lose it. */
async function putAway({ database, config, log }: Place, sandbox: LoopSandbox): Promise<void> {
  await database.transaction(async (on) => {
    await lockLoop(on, sandbox.loop);
    const facts = await read(on, sandbox);
    if (!facts) return;
    const { backend, summary } = sandbox;
    if (isUnneeded(sandbox, facts, config.get("OPENTIGER_QUOTA_KEEP"))) {
      log(`sandbox ${summary.name} is removed`);
      await showingLife(on, () => removeSeen(backend, summary));
    } else if (isToWait(sandbox, facts) && summary.status === "running") {
      const until = facts.loopWaits ? "its plan is approved" : "its task goes on";
      log(`sandbox ${summary.name} is stopped, until ${until}`);
      await showingLife(on, () => backend.stop(summary.name, { id: summary.id }).catch(unlessGone));
    }
  });
}

export function isUnneeded(
  { task, judge }: Pick<LoopSandbox, "task" | "judge">,
  facts: Omit<Facts, "loopPaused">,
  quotaKeepMs: number,
): boolean {
  if (facts.loopEnded) return true;
  if (task === null || facts.task === null) return false;
  if (judge) return facts.task !== "blocked(awaiting_judge)";
  if (facts.task === "blocked(quota_wait)") return (facts.sinceMs ?? 0) > quotaKeepMs;
  if (handedOver.has(facts.task)) return (facts.sinceMs ?? 0) > removalMs;
  return ended.has(facts.task);
}

function isToWait({ judge, task: own }: LoopSandbox, { task, loopWaits, loopPaused }: Facts): boolean {
  if (own === null) return loopWaits;
  return !judge && task !== null && (waiting.has(task) || (task === "queued" && loopPaused));
}

async function read(on: Queryable, { loop, task }: LoopSandbox): Promise<Facts | undefined> {
  return firstRow(
    on,
    factsRow,
    `select l.status in ('done', 'failed', 'cancelled') as "loopEnded",
       l.status = 'awaiting_approval' as "loopWaits",
       l.status = 'paused' as "loopPaused",
       t.status || coalesce('(' || t.reason || ')', '') as task,
       (1000 * extract(epoch from now() - t.updated_at))::float8 as "sinceMs"
     from loops l left join tasks t on t.loop_id = l.id and t.number = $2 where l.id = $1`,
    [loop, task],
  );
}
