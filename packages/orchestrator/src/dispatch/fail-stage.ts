import { SandboxError } from "@opentiger/sandbox";
import type { ErrorCode, TaskFailure, TaskFailureType } from "@opentiger/schema";
import { OrchestratorError } from "../errors.ts";
import type { Place } from "../place.ts";
import { failPlanning } from "../planning/plan-failure.ts";
import { failTask } from "../recovery/fail-task.ts";
import { taskFailureOf } from "../recovery/task-failures.ts";
import type { Lease } from "../state/lease.ts";
import { runningRuns } from "../state/runs.ts";

/** Those that say of which type the failure is; all others are troubles with the place in which the work was to be done. */
const typeOf: Partial<Record<ErrorCode, TaskFailureType>> = {
  setup_failed: "setup",
  cli_missing: "setup",
  image_missing: "setup",
  timeout: "timeout",
  session_lost: "lost",
};

/** What was asked for, the repository or the machine is not as it must be, and stays so until a person changes it. */
const askedWrongly: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "plan_invalid",
  "project_invalid",
  "usage",
  "unsupported",
  "workspace_missing",
  "workspace_refused",
  "image_name_invalid",
  "image_missing",
  "cli_missing",
  "git_failed",
  "not_allowed_now",
  "resource_limit",
]);

/**
 * Ends what was thrown in a stage as a failure of a known type, after which a task or a plan is moved on by the table of
 * failures. Nothing is left open, and nothing is swallowed.
 */
export async function failStage(place: Place, lease: Lease, error: unknown): Promise<void> {
  const run = (await runningRuns(place.database)).find(({ stage }) => stage === lease.stage) ?? null;
  const known = error instanceof OrchestratorError || error instanceof SandboxError ? error : undefined;
  const failure = failureOf(error, known, lease);
  if (lease.task !== null) await failTask(place, lease, run, failure);
  else if (!known || !askedWrongly.has(known.code)) await failPlanning(place, lease, run, failure);
  else await failPlanning(place, lease, run, { ...failure, message: known.message }, "never");
}

function failureOf(
  error: unknown,
  known: OrchestratorError | SandboxError | undefined,
  { kind }: Lease,
): TaskFailure {
  const type = kind === "judge" ? "inconclusive" : ((known && typeOf[known.code]) ?? "sandbox");
  const message = error instanceof Error ? error.message : String(error);
  const remedy = known?.remedy ?? (known ? undefined : "See the dispatcher's log: opentiger dispatcher logs");
  return taskFailureOf(type, message, { remedy });
}
