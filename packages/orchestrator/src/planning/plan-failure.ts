import type { TaskFailure } from "@opentiger/schema";
import { LeaseLost } from "../dispatch/lease-lost.ts";
import type { Place } from "../place.ts";
import { decideNext } from "../recovery/decide.ts";
import { change } from "../state/change.ts";
import { type Lease, releaseLease } from "../state/lease.ts";
import { failuresOfStage } from "../state/planning.ts";
import type { Queryable } from "../state/rows.ts";
import type { RunRow } from "../state/runs.ts";

/**
 * The planner's run came to nothing. By the same table as for tasks it is tried again, at once or later; else the loop
 * has failed and says why. Run and stage change in one transaction.
 */
export async function failPlanning(
  place: Pick<Place, "database" | "config">,
  lease: Lease,
  run: RunRow,
  failure: TaskFailure,
): Promise<void> {
  await place.database.transaction(async (on) => {
    const next = await decide(place, on, lease, run, failure);
    const by = failure.type === "lost" || failure.type === "removed" ? "lose" : "fail";
    const ended = { what: "run", id: run.id, by, from: "running", fence: lease.fence } as const;
    const data = { failure: failure.type, message: failure.message };
    if (!(await change(on, { ...ended, set: { failure }, data })).changed) throw new LeaseLost(lease.stage);
    const moved = next.again
      ? await releaseLease(on, lease, data, next.at)
      : await failLoop(on, lease, failure, next.why);
    if (!moved) throw new LeaseLost(lease.stage);
  });
}

type Next = { again: true; at: Date | null } | { again: false; why: string | null };

async function decide(
  { config }: Pick<Place, "config">,
  on: Queryable,
  { stage }: Lease,
  { agent }: RunRow,
  failure: TaskFailure,
): Promise<Next> {
  // It was sent back as often as it may be.
  if (failure.type === "malformed") return { again: false, why: null };
  const tries = await failuresOfStage(on, stage);
  const { next } = decideNext({
    stage: "run",
    failure,
    tries,
    runs: 1 + Object.values(tries).reduce((sum, count) => sum + count, 0),
    agent,
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
  why: string | null,
): Promise<boolean> {
  const mend = type === "malformed" ? otherwise : remedy;
  const parts = ["There is no plan", message, why, mend, `Then: \`opentiger loop retry ${loop}\``];
  const detail = parts.flatMap((part) => (part === null ? [] : [sentence(part)])).join(" ");
  const asked = { what: "loop", id: loop, by: "fail", from: "planning", fence } as const;
  return (await change(on, { ...asked, set: { detail }, data: { failure: type, detail } })).changed;
}

const otherwise =
  "Say the requirement in other words, or let another agent or model plan: OPENTIGER_PLANNER_AGENT, OPENTIGER_PLANNER_MODEL";

function sentence(words: string): string {
  return /[.!?]$/.test(words.trim()) ? words.trim() : `${words.trim()}.`;
}
