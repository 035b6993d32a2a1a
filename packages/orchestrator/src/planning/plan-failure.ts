import type { TaskFailure } from "@opentiger/schema";
import { type EndPlace, endRun } from "../agent/end-run.ts";
import { forgetTranscripts } from "../agent/run-files.ts";
import type { Place } from "../place.ts";
import { decideNext } from "../recovery/decide.ts";
import { LeaseLost } from "../stage/lease-lost.ts";
import { change } from "../state/change.ts";
import type { RunColumns } from "../state/change-columns.ts";
import { appendEvent } from "../state/events.ts";
import { type Lease, releaseLease } from "../state/lease.ts";
import { lockLoop } from "../state/locks.ts";
import { failuresOfPlan, planAgain } from "../state/planning.ts";
import type { Queryable } from "../state/rows.ts";
import type { RunRow } from "../state/runs.ts";
import { sentence } from "../wording.ts";

export interface PlanningFailed {
  /** `new_loop`: it is because of what was said when the loop was started, which a person's retry would find again. */
  again?: "by_table" | "by_person" | "new_loop";
  /** By the run, as far as it is not written down yet. */
  used?: Pick<RunColumns, "tokens" | "usd">;
}

/**
 * The planner's run came to nothing, or what comes before it. By the same table as for tasks it is tried again, at once or
 * later, unless that could never help; else the loop has failed and says why. Run and stage change in one transaction.
 */
export async function failPlanning(
  place: EndPlace & Pick<Place, "database">,
  lease: Lease,
  run: RunRow | null,
  failure: TaskFailure,
  { again = "by_table", used = {} }: PlanningFailed = {},
): Promise<void> {
  await place.database.transaction(async (on) => {
    const next: Next =
      again === "by_table" ? await decide(place, on, lease, run, failure) : { again: false, why: null };
    const data = { failure: failure.type, message: failure.message };
    if (run) await endPlanner(place, on, lease, run, { ...used, failure });
    // A run that failed is told of; for how long nobody plans then is not.
    if (next.again && (run === null || next.at !== null)) await tellAgain(on, lease, run, failure, next.at);
    const moved = next.again
      ? await releaseLease(on, lease, data, next.at)
      : await failLoop(on, lease, failure, { why: next.why, isFinal: again === "new_loop" });
    if (!moved) throw new LeaseLost(lease.stage);
  });
  if (run) forgetTranscripts(place, run);
}

async function endPlanner(
  place: EndPlace,
  on: Queryable,
  lease: Lease,
  { id }: RunRow,
  set: RunColumns & { failure: TaskFailure },
): Promise<void> {
  const { failure } = set;
  const by = failure.type === "lost" || failure.type === "removed" ? "lose" : "fail";
  const data = { failure: failure.type, message: failure.message };
  const { fence, stage } = lease;
  if (!(await endRun(place, on, { id, by, fence, set, data }))) throw new LeaseLost(stage);
}

/** Where there is no run that keeps the failure, what is told is what is counted. */
async function tellAgain(
  on: Queryable,
  { loop, stage }: Lease,
  run: RunRow | null,
  { type, message }: TaskFailure,
  at: Date | null,
): Promise<void> {
  const when = at === null ? "at once" : `at ${at.toISOString()}`;
  const detail = `${sentence(message)} It is tried again ${when}.`;
  await lockLoop(on, loop);
  await appendEvent(on, {
    loop,
    run: run?.id ?? null,
    type: planAgain,
    data: { stage, failure: type, detail },
  });
}

type Next = { again: true; at: Date | null } | { again: false; why: string | null };

async function decide(
  { config }: Pick<Place, "config">,
  on: Queryable,
  lease: Lease,
  run: RunRow | null,
  failure: TaskFailure,
): Promise<Next> {
  // It was sent back as often as it may be.
  if (failure.type === "malformed") return { again: false, why: null };
  const tries = await failuresOfPlan(on, lease);
  const { next } = decideNext({
    stage: "run",
    failure,
    tries,
    runs: 1 + Object.entries(tries).reduce((sum, [type, count]) => sum + (type === "quota" ? 0 : count), 0),
    agent: run?.agent ?? "",
    fallback: null,
    limits: {
      OPENTIGER_REWORKS: config.get("OPENTIGER_REWORKS"),
      OPENTIGER_TEST_DISPUTES: config.get("OPENTIGER_TEST_DISPUTES"),
      runs: config.get("OPENTIGER_TASK_RUNS"),
      quotaWaitMs: config.get("OPENTIGER_QUOTA_WAIT"),
    },
    now: new Date(),
  });
  // A loop without a plan cannot be paused; when there is a budget again, a person retries it.
  if (next.by === "again") return next.pauseLoop ? { again: false, why: null } : { again: true, at: next.at };
  if (next.by === "wait_for_quota") return { again: true, at: next.at };
  return { again: false, why: next.by === "give_up" ? next.why : null };
}

async function failLoop(
  on: Queryable,
  { loop, fence }: Lease,
  { type, message, remedy }: TaskFailure,
  { why, isFinal }: { why: string | null; isFinal: boolean },
): Promise<boolean> {
  const mend = mends[type] ?? remedy;
  const then = isFinal
    ? "A retry of this loop would find the same: `opentiger run` starts a new one"
    : `Then: \`opentiger loop retry ${loop}\``;
  const parts = ["There is no plan", message, why, mend, then];
  const detail = parts.flatMap((part) => (part === null ? [] : [sentence(part)])).join(" ");
  const asked = { what: "loop", id: loop, by: "fail", from: "planning", fence } as const;
  return (await change(on, { ...asked, set: { detail }, data: { failure: type, detail } })).changed;
}

/** Where a plan is helped in another way than a task. */
const mends: Partial<Record<TaskFailure["type"], string>> = {
  malformed:
    "Start another loop with the requirement in other words, or let another agent or model plan: OPENTIGER_PLANNER_AGENT, OPENTIGER_PLANNER_MODEL",
  budget:
    "Allow it more when you retry it, with --budget-tokens or --budget-usd; the budget of a day is there again at 00:00 UTC",
};
