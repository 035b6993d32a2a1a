import { CodedError, type ErrorCode, type TaskFailure, type TaskFailureType } from "@opentiger/schema";
import { countedByGateway } from "../agent/gateway.ts";
import type { Place } from "../place.ts";
import { failPlanning } from "../planning/plan-failure.ts";
import { failTask } from "../recovery/fail-task.ts";
import { taskFailureOf } from "../recovery/task-failures.ts";
import { LeaseLost } from "../stage/lease-lost.ts";
import { isPassing } from "../stage/passing-trouble.ts";
import { change } from "../state/change.ts";
import type { Lease } from "../state/lease.ts";
import { runOfStage } from "../state/runs.ts";
import { takenOverTooOften } from "./taken-over.ts";

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
  "project_network",
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

/** Of these, what was said when the loop was started. It is not said again when a loop is retried. */
const saidAtStart: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["plan_invalid", "project_network"]);

/**
 * Ends what was thrown in a stage as a failure of a known type, after which a task or a plan is moved on by the table of
 * failures. Nothing is left open, and nothing is swallowed. Where even that fails of the same each time, a stage that was
 * taken over too often is ended without the table: its task or loop has failed, and its run is left to the reconciler.
 */
export async function failStage(place: Place, lease: Lease, error: unknown): Promise<void> {
  try {
    await failByTable(place, lease, error);
  } catch (trouble) {
    if (!takenOverTooOften(lease) || trouble instanceof LeaseLost || isPassing(trouble)) throw trouble;
    await giveUp(place, lease, `${String(error)}. It could not be gone on with either: ${String(trouble)}`);
  }
}

async function failByTable(place: Place, lease: Lease, error: unknown): Promise<void> {
  const run = (await runOfStage(place.database, lease.stage)) ?? null;
  const used = run ? await countedByGateway(place, run) : {};
  const known = error instanceof CodedError ? error : undefined;
  const failure = failureOf(error, known, lease);
  if (lease.task !== null) await failTask(place, lease, run, failure, { run: used });
  else if (!known || !askedWrongly.has(known.code)) await failPlanning(place, lease, run, failure, { used });
  else {
    const again = saidAtStart.has(known.code) ? "new_loop" : "by_person";
    await failPlanning(place, lease, run, { ...failure, message: known.message }, { used, again });
  }
}

function failureOf(error: unknown, known: CodedError | undefined, lease: Lease): TaskFailure {
  const type = lease.kind === "judge" ? "inconclusive" : ((known && typeOf[known.code]) ?? "sandbox");
  const message = error instanceof Error ? error.message : String(error);
  return taskFailureOf(type, message, { remedy: remedyOf(known, lease) });
}

function remedyOf(known: CodedError | undefined, { task }: Lease): string | undefined {
  if (!known) return "See the dispatcher's log: opentiger dispatcher logs";
  if (known.code !== "setup_failed" || task === null || known.remedy === undefined) return known.remedy;
  return `${known.remedy}. ${keptProject}`;
}

/** A plan that is made again reads the project anew; a task never does. */
const keptProject =
  "This loop keeps the opentiger.json of the commit it began with: a correction there is for a new loop.";

async function giveUp({ database }: Place, lease: Lease, detail: string): Promise<void> {
  const { loop, task, kind, fence, stage } = lease;
  const more = { fence, set: { detail }, data: { detail } };
  const from = kind === "run" ? "running" : "blocked(awaiting_judge)";
  const { changed } =
    task === null
      ? await change(database, { what: "loop", id: loop, by: "fail", from: "planning", ...more })
      : await change(database, { what: "task", id: task, by: "give_up", from, ...more });
  if (!changed) throw new LeaseLost(stage);
}
