import type { CheckRound } from "@opentiger/schema";
import { endRun } from "../agent/end-run.ts";
import { countedByGateway } from "../agent/gateway.ts";
import { forgetTranscripts } from "../agent/run-files.ts";
import { failTask } from "../recovery/fail-task.ts";
import { LeaseLost } from "../stage/lease-lost.ts";
import { addArtifact } from "../state/artifacts.ts";
import { change } from "../state/change.ts";
import { addJudgement } from "../state/judgements.ts";
import type { Queryable } from "../state/rows.ts";
import type { WrittenArtifact } from "./artifacts.ts";
import type { Conclusion } from "./conclusion.ts";
import type { Judging } from "./judging.ts";

/**
 * Writes a judgement down and moves the task on by it, in one transaction under the fence: to the merger, back to its
 * agent with the points, to another judgement, or to its end. A judgement that moves nothing is not written.
 */
export async function conclude(
  judging: Judging,
  conclusion: Conclusion,
  artifacts: readonly WrittenArtifact[],
): Promise<void> {
  const { place, lease, judgeRun, run, candidateOid } = judging;
  const write = (on: Queryable): Promise<void> => writeDown(on, judging, conclusion, artifacts);
  const { failure, judgement, points } = conclusion;
  if (failure === null) {
    await place.database.transaction(async (on) => {
      await write(on);
      await endJudge(on, judging);
      await moveToMerge(on, judging);
    });
    return forgetTranscripts(place, judgeRun);
  }
  // A judge who found it bad did its work; one who found nothing out did not.
  const isDone = judgement === "fail";
  const also = async (on: Queryable): Promise<void> => {
    await write(on);
    if (isDone) await endJudge(on, judging);
  };
  const rework = { points, session: run.session, agent: run.agent, from: candidateOid, sandbox: null };
  // Whoever was broken off in the middle of a question has not said what that used.
  const used = isDone ? {} : await countedByGateway(place, judgeRun);
  await failTask(place, lease, isDone ? null : judgeRun, failure, { rework, also, run: used });
  forgetTranscripts(place, judgeRun);
}

async function writeDown(
  on: Queryable,
  { task, judgeRun, candidateOid, tip, place, heldFor }: Judging,
  { judgement, evidence, points }: Conclusion,
  artifacts: readonly WrittenArtifact[],
): Promise<void> {
  const keepMs = place.config.get("OPENTIGER_ARTIFACT_TIME");
  for (const artifact of artifacts) await addArtifact(on, { ...artifact, run: judgeRun.id, keepMs });
  const kept = { ...evidence, rounds: evidence.rounds.map(bounded), held: heldFor !== undefined };
  await addJudgement(on, {
    task: task.id,
    run: judgeRun.id,
    candidateOid,
    baseOid: tip,
    judgement,
    evidence: kept,
    points,
  });
}

/** Of tests that are green a row needs to hold no more than people look at; the log has them all. */
const keptGreen = 1_000;

function bounded(round: CheckRound): CheckRound {
  let green = 0;
  return {
    ...round,
    results: round.results.filter(({ result }) => result !== "passed" || ++green <= keptGreen),
  };
}

async function endJudge(on: Queryable, { place, judgeRun, lease }: Judging): Promise<void> {
  const { stage, fence } = lease;
  if (!(await endRun(place, on, { id: judgeRun.id, by: "succeed", fence }))) throw new LeaseLost(stage);
}

async function moveToMerge(on: Queryable, { task, lease, candidateOid, tip }: Judging): Promise<void> {
  const done = await change(on, {
    what: "task",
    id: task.id,
    by: "pass",
    from: "blocked(awaiting_judge)",
    fence: lease.fence,
    set: { detail: null },
    data: { candidate: candidateOid, tip },
  });
  if (!done.changed) throw new LeaseLost(lease.stage);
}
