import { type LoopState, loopStates, type TaskState, taskStates } from "@opentiger/schema";
import { OrchestratorError } from "../errors.ts";
import type { LoopRow } from "../state/loops.ts";
import type { TaskRow } from "../state/tasks.ts";

/** What was asked of a loop cannot be done in the state that it is in; the remedy says who moves it on. */
export function loopNotNow(
  { id, state }: Pick<LoopRow, "id" | "state">,
  asked: string,
  remedy = nextOfLoop(state),
): OrchestratorError {
  return new OrchestratorError("not_allowed_now", `loop ${id} is ${state} and cannot be ${asked}`, {
    remedy,
  });
}

/** The same for a task. */
export function taskNotNow(
  { number, title, state }: Pick<TaskRow, "number" | "title" | "state">,
  asked: string,
  remedy = nextOfTask(state),
): OrchestratorError {
  return new OrchestratorError(
    "not_allowed_now",
    `task ${number} (${title}) is ${state} and cannot be ${asked}`,
    { remedy },
  );
}

/** What would come of it could be shown nowhere, and what there was of it is gone. */
export function refuseDiscarded(loop: Pick<LoopRow, "id" | "state" | "branch">): void {
  if (loop.branch === null)
    throw loopNotNow(loop, "gone on with", "Its branch was discarded: start a new loop.");
}

function nextOfLoop(state: LoopState): string {
  return loopStates[state].sentence;
}

function nextOfTask(state: TaskState): string {
  return taskStates[state].sentence;
}
