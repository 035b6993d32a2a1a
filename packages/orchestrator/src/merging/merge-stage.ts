import type { Place } from "../place.ts";
import { LeaseLost } from "../stage/lease-lost.ts";
import { advanceBranch } from "../state/branch.ts";
import { change } from "../state/change.ts";
import { lastJudgement } from "../state/judgements.ts";
import type { Lease } from "../state/lease.ts";
import { finalCommit } from "./final-commit.ts";
import { type JudgedTask, readJudgedTask } from "./judged-task.ts";
import type { OnStep } from "./merge-steps.ts";
import { mergeCandidate } from "./merged-candidate.ts";
import { showBranch } from "./show-branch.ts";
import { tidyTask } from "./tidy-task.ts";

export { type MergeStep, mergeSteps } from "./merge-steps.ts";

/**
 * Puts the judged candidate of the lease's task on the loop's branch, exactly once: the branch in the database is compared
 * and set together with the task's end, under the fence, and everything else is made of that. Where the branch has moved
 * on since the judgement, or the plan says something else of its tests, the candidate is judged again on the new tip. Tests
 * that are held for their code end here too, and leave the branch where it is.
 */
export async function mergeStage(
  place: Place,
  lease: Lease,
  signal: AbortSignal,
  onStep: OnStep = async () => {},
): Promise<void> {
  const judged = await readJudgedTask(place, lease, signal);
  const outdated = await whyOutdated(place, judged);
  if (outdated !== undefined) return judgeAgain(place, lease, outdated);
  const toOid = judged.heldFor ? null : await commitToMerge(place, judged, signal);
  if (toOid === undefined) return judgeAgain(place, lease, branchMoved);
  await onStep("commit");
  signal.throwIfAborted();
  if (toOid !== null) await judged.repository.pin(judged.loop.id, pinName(judged, toOid), toOid);
  await onStep("pin");
  signal.throwIfAborted();
  const advanced = await advanceBranch(place.database, {
    loop: judged.loop.id,
    task: judged.task.id,
    fence: lease.fence,
    fromOid: judged.tip,
    toOid,
    held: judged.held.map(({ id }) => id),
    data: { candidate: judged.candidateOid, held: judged.held.map(({ number }) => number) },
  });
  if (!advanced.advanced) {
    if (advanced.branchOid === judged.tip) throw new LeaseLost(lease.stage);
    return judgeAgain(place, lease, branchMoved);
  }
  await onStep("advance");
  // The lease has ended with the stage; what follows is made of the row, and may be done by anybody.
  if (toOid !== null) await showBranch(place, judged, onStep);
  await tidyTask(place, judged);
  await onStep("tidy");
}

/**
 * undefined: exactly this was judged, and found good: this candidate, on this tip, and as what it is now. Whoever edits the
 * plan may make tests of code to come, which had to be red, into tests that stand for themselves, or the reverse.
 */
async function whyOutdated(
  { database }: Place,
  { task, candidateOid, tip, heldFor }: JudgedTask,
): Promise<string | undefined> {
  const last = await lastJudgement(database, task.id);
  const isHeld = heldFor !== undefined;
  if (last && last.evidence.held !== isHeld) return planEdited;
  const isFound = last?.judgement === "pass" && last.candidateOid === candidateOid;
  return isFound && (isHeld || last.baseOid === tip) ? undefined : branchMoved;
}

const branchMoved = "the branch has moved on since the judgement";
const planEdited = "the plan was edited since the judgement: whether its tests wait for their code";

/** undefined: it does not go together with the branch any more, which only the judge can say for good. */
async function commitToMerge(
  place: Place,
  judged: JudgedTask,
  signal: AbortSignal,
): Promise<string | undefined> {
  const merged = await mergeCandidate(judged.repository, judged);
  signal.throwIfAborted();
  return merged.ok ? finalCommit(place, judged, merged.tree) : undefined;
}

/** Named after the commit: one that a process with an older lease pins takes nothing away from the newer one. */
function pinName({ task }: JudgedTask, oid: string): string {
  return `task-${task.number}/merge-${oid}`;
}

async function judgeAgain({ database }: Place, { task, stage, fence }: Lease, why: string): Promise<void> {
  const done = await change(database, {
    what: "task",
    id: task ?? "",
    by: "rejudge",
    from: "blocked(awaiting_judge)",
    fence,
    data: { why },
  });
  if (!done.changed) throw new LeaseLost(stage);
}
