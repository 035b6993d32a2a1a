import { SandboxError } from "@opentiger/sandbox";
import type { ErrorCode, TaskFailure, TaskFailureType } from "@opentiger/schema";
import { OrchestratorError } from "../errors.ts";
import type { Place } from "../place.ts";
import { failTask } from "../recovery/fail-task.ts";
import { taskFailureOf } from "../recovery/task-failures.ts";
import { change } from "../state/change.ts";
import type { Lease } from "../state/lease.ts";
import { findLoop } from "../state/loops.ts";
import { type RunRow, runningRuns } from "../state/runs.ts";
import { allows } from "../state/transitions.ts";

/** Those that say of which type the failure is; all others are troubles with the place in which the work was to be done. */
const typeOf: Partial<Record<ErrorCode, TaskFailureType>> = {
  setup_failed: "setup",
  cli_missing: "setup",
  image_missing: "setup",
  timeout: "timeout",
  session_lost: "lost",
};

/**
 * Ends what was thrown in a stage as a failure of a known type: a task by the table of its failures, a plan with its
 * loop. Nothing is left open, and nothing is swallowed.
 */
export async function failStage(place: Place, lease: Lease, error: unknown): Promise<void> {
  const run = (await runningRuns(place.database)).find(({ stage }) => stage === lease.stage) ?? null;
  const failure = failureOf(error, lease);
  if (lease.task === null) await failPlan(place, lease, run, failure);
  else await failTask(place, lease, run, failure);
}

function failureOf(error: unknown, { kind }: Lease): TaskFailure {
  const known = error instanceof OrchestratorError || error instanceof SandboxError ? error : undefined;
  const type = kind === "judge" ? "inconclusive" : ((known && typeOf[known.code]) ?? "sandbox");
  const message = error instanceof Error ? error.message : String(error);
  const remedy = known?.remedy ?? (known ? undefined : "See the dispatcher's log: opentiger dispatcher logs");
  return taskFailureOf(type, message, { remedy });
}

/** A loop without a plan can do nothing. */
async function failPlan(
  { database }: Place,
  lease: Lease,
  run: RunRow | null,
  failure: TaskFailure,
): Promise<void> {
  await database.transaction(async (on) => {
    const { fence } = lease;
    if (run)
      await change(on, { what: "run", id: run.id, by: "fail", from: "running", fence, set: { failure } });
    const loop = await findLoop(on, lease.loop);
    if (!loop || !allows("loop", "fail", loop.state)) return;
    const detail = `${failure.message} (${failure.remedy})`;
    const data = { failure };
    await change(on, {
      what: "loop",
      id: loop.id,
      by: "fail",
      from: loop.state,
      fence,
      set: { detail },
      data,
    });
  });
}
