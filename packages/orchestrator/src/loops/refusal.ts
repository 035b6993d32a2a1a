import { type LoopState, loopStates, type TaskState, taskStates } from "@opentiger/schema";
import { OrchestratorError } from "../errors.ts";
import type { LoopRow } from "../state/loops.ts";
import type { TaskRow } from "../state/tasks.ts";

type RefusedLoop = Pick<LoopRow, "id" | "state">;
type RefusedTask = Pick<TaskRow, "loop" | "number" | "title" | "state">;

/** What was asked of a loop cannot be done in the state that it is in; the remedy says who moves it on, and with what. */
export function loopNotNow(loop: RefusedLoop, asked: string, remedy = nextOfLoop(loop)): OrchestratorError {
  const { id, state } = loop;
  return new OrchestratorError("not_allowed_now", `loop ${id} is ${state} and cannot be ${asked}`, {
    remedy,
  });
}

/** The same for a task. */
export function taskNotNow(task: RefusedTask, asked: string, remedy = nextOfTask(task)): OrchestratorError {
  const { number, title, state } = task;
  return new OrchestratorError(
    "not_allowed_now",
    `task ${number} (${title}) is ${state} and cannot be ${asked}`,
    { remedy },
  );
}

/** What would come of it could be shown nowhere, and what there was of it is gone. */
export function refuseDiscarded(loop: RefusedLoop & Pick<LoopRow, "branch">, asked = "gone on with"): void {
  if (loop.branch === null) throw loopNotNow(loop, asked, "Its branch was discarded: start a new loop.");
}

/** Whoever says which plan they saw, and that is another one by now, does nothing to it. */
export function refuseUnseen({ id, planVersion }: LoopRow, seen: string | undefined): void {
  if (seen === undefined || seen === planVersion) return;
  throw new OrchestratorError(
    "not_allowed_now",
    `the plan of loop ${id} is not the one that you saw: its version is ${planVersion} now`,
    { remedy: `look at it again, and name that version: opentiger loop show ${id}` },
  );
}

function nextOfLoop({ id, state }: RefusedLoop): string {
  const command = {
    planning: `Follow it: opentiger loop events -f ${id}`,
    awaiting_approval: `Look at it: opentiger loop show ${id}`,
    running: `Follow it: opentiger loop events -f ${id}`,
    "paused(asked)": `opentiger loop resume ${id}`,
    "paused(budget)": `opentiger loop resume ${id} --budget-usd AMOUNT`,
    "paused(branch_moved)": `opentiger loop resume ${id}`,
    done: `Look at it: opentiger loop show ${id}`,
    failed: `opentiger loop retry ${id}`,
    cancelled: 'Start another: opentiger run "what is wanted"',
  } as const satisfies Record<LoopState, string>;
  return `${loopStates[state].sentence} ${command[state]}`;
}

function nextOfTask({ loop, number, state }: RefusedTask): string {
  const named = `${loop} ${number}`;
  if (state === "running")
    return `An agent is at work on it. Tell it something: opentiger task message ${named} "…"; or end it: opentiger task cancel ${named}`;
  const command = {
    queued: `opentiger task edit ${named}`,
    "blocked(awaiting_judge)": `opentiger task send-back ${named} -m "…"`,
    "blocked(quota_wait)": `opentiger task show ${named}`,
    "blocked(needs_rework)": `opentiger task show ${named}`,
    "blocked(awaiting_approval)": `opentiger loop show ${loop}`,
    "blocked(dependency_failed)": `opentiger task ls ${loop}`,
    "blocked(paused)": `opentiger task resume ${named}`,
    done: `opentiger task send-back ${named} -m "…"`,
    failed: `opentiger task retry ${named}`,
    cancelled: `opentiger task retry ${named}`,
  } as const satisfies Record<Exclude<TaskState, "running">, string>;
  return `${taskStates[state].sentence} ${command[state]}`;
}
