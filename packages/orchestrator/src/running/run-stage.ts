import type { Sandbox } from "@opentiger/sandbox";
import { loginRemedy } from "@opentiger/sandboxd";
import {
  checkRound,
  firstCharacters,
  type ReworkPoint,
  type ReworkReason,
  type TaskFailure,
} from "@opentiger/schema";
import { authenticate } from "../agent/credentials.ts";
import { budgetOf } from "../loops/budget.ts";
import type { Place } from "../place.ts";
import { taskFailureOf } from "../recovery/task-failures.ts";
import type { Lease } from "../state/lease.ts";
import { knownWorked, letAgentWork, type Worked } from "./agent-work.ts";
import { collectCandidate, knownCandidate } from "./candidate.ts";
import { checkWork } from "./checks.ts";
import { disputeIn } from "./dispute.ts";
import { endFailed } from "./end-failed.ts";
import { endSubmitted } from "./end-submitted.ts";
import { type Committed, commitInside } from "./harness-commit.ts";
import type { RunResult } from "./run-result.ts";
import { findStart, type StartPoint } from "./start-point.ts";
import { openTaskSandbox } from "./task-sandbox.ts";
import { afterTurn, lastTurn } from "./turns.ts";
import { openWork, type Work } from "./work.ts";

/**
 * One run of a task, from its claim to a candidate that waits for the judge, or to a failure of a known type. Whoever
 * takes the stage over goes on behind the last step that is known, with the same agent; who has lost it stops and
 * touches nothing.
 */
export async function runStage(place: Place, lease: Lease, signal: AbortSignal): Promise<void> {
  const work = await openWork(place, lease, signal);
  const start = await findStart(work);
  if ("failure" in start) return endFailed(work, start);
  const done = await knownResult(work);
  if (done && (await endSubmitted(work, start, done))) return;
  const broke = await withoutBudget(work);
  if (broke) return endFailed(work, broke);
  const opened = await openTaskSandbox(work, start);
  if ("failure" in opened) return endFailed(work, opened);
  const { sandbox } = opened;
  try {
    for (let submitted = false; !submitted; ) {
      const result = await runIn(work, sandbox, start);
      signal.throwIfAborted();
      if ("failure" in result) return await endFailed(work, result, { sandbox, start });
      submitted = await endSubmitted(work, start, result);
    }
  } finally {
    await sandbox.close().catch(() => {});
  }
}

/** What the agent has come to, with all that people said to it meanwhile. */
async function runIn(whole: Work, sandbox: Sandbox, start: StartPoint): Promise<RunResult> {
  await authenticate(whole.place, sandbox);
  const { turn, ...ended } = await letAgentWork(whole, sandbox, start);
  const work = afterTurn(whole, turn);
  // What it was not allowed to do last, such as a look at its own work, need not be missing: the checks know.
  const denied = ended.failure?.type === "denied" ? ended.failure : null;
  if (ended.failure && !denied) return { worked: ended, failure: withRemedy(work, sandbox, ended.failure) };
  const worked: Worked = { ...ended, failure: null };
  const why = await disputeIn(work, sandbox, start);
  if (why !== null) return { worked, failure: taskFailureOf("dispute", why), points: [disputed(why)] };
  const left = await commitInside(work, sandbox, start);
  if ("failure" in left) return { worked, failure: left.failure, points: [brokenRule(left.failure)] };
  if (await isUnchanged(work, start, left))
    return { worked: ended, failure: denied ?? taskFailureOf("no_change", lastWords(worked)) };
  const { round, points } = await checkWork(work, sandbox, start, left);
  if (points.length > 0)
    return { worked, left, round, failure: taskFailureOf("verify", points[0]?.text), points };
  return { worked, left, round, ...(await collectCandidate(work, sandbox, start, left)) };
}

/** Failures after which the work has to become another one; after all others it may have been done already. */
const mending: readonly ReworkReason[] = ["judge", "person", "verify", "rules", "conflict"];

async function isUnchanged({ repository, task }: Work, { base, start }: StartPoint, { tree }: Committed) {
  if (tree === (await repository.tree(base))) return true;
  const { rework } = task;
  return rework !== null && mending.includes(rework.failure) && tree === (await repository.tree(start));
}

/** What an earlier holder came to and did not get to write down. It needs no sandbox any more. */
async function knownResult(whole: Work): Promise<Extract<RunResult, { candidate: string }> | undefined> {
  const { journal } = afterTurn(whole, await lastTurn(whole));
  const collected = await journal.known("candidate", knownCandidate);
  if (!collected) return undefined;
  const found = await journal.known("worked", knownWorked);
  const round = await journal.known("round", checkRound);
  return { ...collected, ...(found ? { worked: found } : {}), ...(round ? { round } : {}) };
}

/** Nothing is begun that would be stopped at its first word. One that was begun goes on until the gateway says no. */
async function withoutBudget({ place, loop, run }: Work): Promise<{ failure: TaskFailure } | undefined> {
  const budget = await budgetOf(place, loop);
  if (budget.ok || run.sandbox !== null) return undefined;
  return { failure: taskFailureOf("budget", budget.sentence, { remedy: budget.remedy }) };
}

/** Contract A13: whoever has nothing to log in with is told what to do about it. */
function withRemedy({ place, choice, say }: Work, { backend }: Sandbox, failure: TaskFailure): TaskFailure {
  if (failure.type !== "auth") return failure;
  const way = place.config.get("SANDBOX_CREDENTIALS");
  const remedy = loginRemedy(choice.driver.template, way, backend === "host" ? "host" : "sandbox");
  say(`warning: authentication required: ${remedy ?? failure.remedy}`);
  return {
    ...failure,
    message: `Authentication required. ${failure.message}`,
    remedy: remedy === undefined ? failure.remedy : `To log in: ${remedy}. Then retry the task.`,
  };
}

function disputed(text: string): ReworkPoint {
  return { by: "dispute", file: null, line: null, text };
}

function brokenRule({ message: text }: TaskFailure): ReworkPoint {
  return { by: "rules", file: null, line: null, text };
}

const longestWords = 500;

function lastWords({ lastText }: Worked): string | undefined {
  return lastText === null ? undefined : `its last words were: ${firstCharacters(lastText, longestWords)}`;
}
