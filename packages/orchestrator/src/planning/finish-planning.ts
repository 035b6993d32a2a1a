import type { Plan } from "@opentiger/schema";
import { type EndPlace, endRun } from "../agent/end-run.ts";
import { forgetTranscripts } from "../agent/run-files.ts";
import type { Place } from "../place.ts";
import { LeaseLost } from "../stage/lease-lost.ts";
import { change } from "../state/change.ts";
import type { Lease } from "../state/lease.ts";
import { lockLoop } from "../state/locks.ts";
import type { RunRow } from "../state/runs.ts";
import { addTasks } from "../state/tasks.ts";
import { whyItWaits } from "./approval.ts";
import { planToTasks } from "./check-plan.ts";
import type { Ground } from "./ground.ts";

export interface Made {
  plan: Plan;
  /** Of the planner, where one was asked. */
  run: RunRow | null;
}

/** All in one transaction: the planner's run has ended, the tasks are there, the loop runs or waits. */
export async function finishPlanning(
  place: EndPlace & Pick<Place, "database">,
  lease: Lease,
  { loop, environment }: Pick<Ground, "loop" | "environment">,
  { plan, run }: Made,
): Promise<void> {
  const { database, config } = place;
  const why = whyItWaits({ loop, plan, environment, usual: config.get("OPENTIGER_APPROVE_PLANS") });
  const waits = why !== null;
  await database.transaction(async (on) => {
    await lockLoop(on, loop.id);
    const { fence } = lease;
    if (run) await endRun(place, on, { id: run.id, by: "succeed", fence });
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
  if (run) forgetTranscripts(place, run);
}
