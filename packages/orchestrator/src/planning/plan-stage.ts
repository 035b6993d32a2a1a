import type { Plan } from "@opentiger/schema";
import { existingLoop } from "../loops/existing.ts";
import type { Place } from "../place.ts";
import { LeaseLost } from "../stage/lease-lost.ts";
import { change } from "../state/change.ts";
import type { Lease } from "../state/lease.ts";
import { lockLoop } from "../state/locks.ts";
import type { RunRow } from "../state/runs.ts";
import { addTasks } from "../state/tasks.ts";
import { whyItWaits } from "./approval.ts";
import { askPlanner } from "./ask-planner.ts";
import { checkPlan, planToTasks } from "./check-plan.ts";
import { givenPlan } from "./given-plan.ts";
import { type Ground, layGround } from "./ground.ts";
import { failPlanning } from "./plan-failure.ts";

/**
 * Makes the tasks of a loop: brings its base in, sets the project up, looks how its checks stand, asks the planner or
 * takes what stood in a file, and lets the loop run or wait for a person. Whoever takes it over goes on with what there
 * is; the plan and its tasks are there all at once, or not at all.
 */
export async function planStage(place: Place, lease: Lease, signal: AbortSignal): Promise<void> {
  const loop = await existingLoop(place.database, lease.loop);
  if (loop.state !== "planning") throw new LeaseLost(lease.stage);
  const ground = await layGround(place, lease, loop, signal);
  try {
    const made = await makePlan(place, lease, ground, signal);
    if (made) await finishPlanning(place, lease, ground, made);
  } finally {
    await ground.sandbox.close();
  }
}

interface Made {
  plan: Plan;
  /** Of the planner, where one was asked. */
  run: RunRow | null;
}

/** undefined: the planner came to none, and what follows from that is written down. */
async function makePlan(
  place: Place,
  lease: Lease,
  ground: Ground,
  signal: AbortSignal,
): Promise<Made | undefined> {
  const { loop, project } = ground;
  const limits = { tasks: place.config.get("OPENTIGER_MAX_TASKS"), testPaths: project.testPaths };
  const plan = givenPlan(loop.source, loop.requirement);
  if (plan) {
    checkPlan(plan, limits);
    return { plan, run: null };
  }
  const { run, asked } = await askPlanner(place, lease, ground, limits, signal);
  if (asked.ok) return { plan: asked.answer, run };
  await failPlanning(place, lease, run, asked.failure);
  return undefined;
}

/** All in one transaction: the planner's run has ended, the tasks are there, the loop runs or waits. */
async function finishPlanning(
  { database, config }: Place,
  lease: Lease,
  { loop, environment }: Ground,
  { plan, run }: Made,
): Promise<void> {
  const why = whyItWaits({ loop, plan, environment, usual: config.get("OPENTIGER_APPROVE_PLANS") });
  const waits = why !== null;
  await database.transaction(async (on) => {
    await lockLoop(on, loop.id);
    const { fence } = lease;
    if (run) await change(on, { what: "run", id: run.id, by: "succeed", from: "running", fence });
    await addTasks(on, loop.id, planToTasks(plan), waits ? "blocked(awaiting_approval)" : "queued");
    const planned = await change(on, {
      what: "loop",
      id: loop.id,
      by: "planned",
      from: "planning",
      to: waits ? "awaiting_approval" : "running",
      fence,
      set: { plan, detail: why },
      data: { tasks: plan.tasks.length, summary: plan.summary, ...(why === null ? {} : { why }) },
    });
    if (!planned.changed) throw new LeaseLost(lease.stage);
  });
}
