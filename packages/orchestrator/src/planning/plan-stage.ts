import { existingLoop } from "../loops/existing.ts";
import type { Place } from "../place.ts";
import { LeaseLost } from "../stage/lease-lost.ts";
import type { Lease } from "../state/lease.ts";
import { askPlanner } from "./ask-planner.ts";
import { checkPlan } from "./check-plan.ts";
import { finishPlanning, type Made } from "./finish-planning.ts";
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
