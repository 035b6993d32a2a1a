import type { Sandbox } from "@opentiger/sandbox";
import type { SandboxSummary, TaskFailureType } from "@opentiger/schema";
import { countedByGateway } from "../agent/gateway.ts";
import type { Next } from "../recovery/decide.ts";
import { failTask } from "../recovery/fail-task.ts";
import { taskFailureRules } from "../recovery/task-failures.ts";
import { addArtifact } from "../state/artifacts.ts";
import { keepWork } from "./candidate.ts";
import { type Committed, commitNow } from "./harness-commit.ts";
import { writeArtifacts } from "./run-artifacts.ts";
import { type RunResult, runColumns } from "./run-result.ts";
import type { StartPoint } from "./start-point.ts";
import { removeTaskSandboxes, stopTaskSandbox, taskSandboxes } from "./task-sandbox.ts";
import { afterTurn, lastTurn } from "./turns.ts";
import { taskSandboxName, type Work } from "./work.ts";

type Failed = Extract<RunResult, { failure: unknown }>;

export interface FailedPlace {
  sandbox?: Sandbox;
  start?: StartPoint;
}

/**
 * The run has failed and its task goes on by the table, in one transaction. What the agent did is kept for the next run
 * where that goes on with it: as a commit, and in its sandbox, which waits.
 */
export async function endFailed(work: Work, failed: Failed, at: FailedPlace = {}): Promise<void> {
  const { place, lease, run, choice } = work;
  const { failure, worked, round, points = [] } = failed;
  const from = await workSoFar(work, failed, at);
  const artifacts = await writeArtifacts(work, {
    ...(from && at.start ? { diff: { from: at.start.base, to: from } } : {}),
    ...(round ? { round } : {}),
  });
  const session = worked?.session ?? null;
  // Behind the transaction the task is anybody's, and what is there then may be theirs.
  const seen = await taskSandboxes(work).catch(() => []);
  const next = await failTask(place, lease, run, failure, {
    rework: {
      points,
      ...(session === null ? {} : { session, agent: choice.name }),
      ...(from === undefined ? {} : { from }),
      sandbox: isKept(failure.type) && at.sandbox ? taskSandboxName(work) : null,
    },
    ...(from !== undefined && at.start ? { baseOid: at.start.base } : {}),
    run: worked ? runColumns(worked) : await countedByGateway(place, run),
    also: async (on) => {
      for (const artifact of artifacts) await addArtifact(on, artifact);
    },
  });
  await leaveSandbox(work, failure.type, next, seen);
}

/** In which the next run finds the work as it was. After a dispute its tests are others, and what is lost is not there. */
function isKept(type: TaskFailureType): boolean {
  return goesOn(type) && type !== "dispute" && !isGone(type);
}

function isGone(type: TaskFailureType): boolean {
  return type === "lost" || type === "removed";
}

function goesOn(type: TaskFailureType): boolean {
  return (
    ["resume", "later", "at_reset", "after_tests"].includes(taskFailureRules[type].retry) || type === "budget"
  );
}

/** For the next run, if the sandbox is gone by then. It may fail: then there is the conversation, and what was before. */
async function workSoFar(
  work: Work,
  { failure, left }: Failed,
  at: FailedPlace,
): Promise<string | undefined> {
  const { sandbox, start } = at;
  if (!sandbox || !start || !goesOn(failure.type) || isGone(failure.type)) return undefined;
  try {
    const latest = afterTurn(work, await lastTurn(work));
    const found: Committed | object = left ?? (await commitNow(latest, sandbox, start));
    return "tree" in found ? await keepWork(work, sandbox, start, found) : undefined;
  } catch (error) {
    work.signal.throwIfAborted();
    work.say(`what was done so far could not be kept: ${String(error)}`);
    return undefined;
  }
}

/** One that waits for long takes no memory; one that nobody waits for is removed. */
async function leaveSandbox(
  work: Work,
  type: TaskFailureType,
  next: Next,
  seen: readonly SandboxSummary[],
): Promise<void> {
  const goesOnThere = isKept(type) && (next.by === "wait_for_quota" || (next.by === "again" && next.resume));
  try {
    if (!goesOnThere) await removeTaskSandboxes(work, seen);
    else if (next.by === "wait_for_quota" || next.at !== null || next.pauseLoop)
      await stopTaskSandbox(work, seen);
  } catch (error) {
    work.say(`its sandbox could not be put away: ${String(error)}`);
  }
}
