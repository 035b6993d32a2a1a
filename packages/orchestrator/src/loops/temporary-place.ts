import { type LoopSettings, loopSettings, type Plan, type PlannedTask } from "@opentiger/schema";
import { planToTasks } from "../planning/check-plan.ts";
import { change } from "../state/change.ts";
import { claimStage } from "../state/claims.ts";
import { SystemConfig } from "../state/config/system-config.ts";
import type { Lease } from "../state/lease.ts";
import type { LoopRow } from "../state/loops.ts";
import { startRun } from "../state/runs.ts";
import { addTasks, type TaskRow } from "../state/tasks.ts";
import { type TemporaryDatabase, temporaryDatabase } from "../state/temporary-database.ts";
import { claimed, claimOf } from "../state/temporary-loops.ts";
import { type LoopPlace, startLoop } from "./start-loop.ts";
import { tasksOf } from "./tasks-of.ts";

/** Where loops are kept, for a test. */
export interface TemporaryPlace extends LoopPlace {
  instance: TemporaryDatabase;
  /** Settings of the environment, which are looked at each time. */
  env: NodeJS.ProcessEnv;
  remove(): Promise<void>;
}

export async function temporaryPlace(): Promise<TemporaryPlace> {
  const instance = await temporaryDatabase();
  const database = await instance.open();
  const env: NodeJS.ProcessEnv = {};
  const config = await SystemConfig.open(database, { env });
  const remove = async (): Promise<void> => {
    config.close();
    await instance.remove();
  };
  return { instance, database, config, env, remove };
}

/** A task of a plan; it may touch only what its key says. */
export function planned(key: string, more: Partial<PlannedTask> = {}): PlannedTask {
  return {
    key,
    title: `Do ${key}`,
    role: "worker",
    instructions: "Do it.",
    needs: [],
    allowedPaths: [`${key}/**`],
    mayChange: [],
    verify: [],
    risk: "medium",
    estimate: null,
    ...more,
  };
}

/** A loop that was started with these settings and planned as this, as the plan stage does it. */
export async function plannedLoop(
  place: TemporaryPlace,
  tasks: readonly PlannedTask[],
  {
    to = "running",
    settings = {},
  }: { to?: "running" | "awaiting_approval"; settings?: Partial<LoopSettings> } = {},
): Promise<{ loop: LoopRow; tasks: TaskRow[]; plan: Plan }> {
  const { database, instance } = place;
  const loop = await startLoop(place, {
    repository: { path: instance.home },
    requirement: "It should work.",
    source: { kind: "prose" },
    settings: loopSettings.parse(settings),
  });
  const plan: Plan = { summary: "It is made to work.", tasks: [...tasks] };
  await database.transaction(async (on) => {
    const state = to === "running" ? "queued" : "blocked(awaiting_approval)";
    await addTasks(on, loop.id, planToTasks(plan), state);
    await change(on, { what: "loop", id: loop.id, by: "planned", from: "planning", to, set: { plan } });
  });
  return { loop, tasks: await tasksOf(database, loop.id), plan };
}

/** The next run stage there is, with a run that goes on. */
export async function beginRun({ database }: LoopPlace): Promise<{ lease: Lease; run: string }> {
  const lease = await claimed(claimStage(database, claimOf("me")));
  const run = await startRun(database, lease, { agent: "claude_code", role: "worker" });
  return { lease, run: run?.id ?? "" };
}

/** The task of this lease comes to this end, with its run. */
export async function endRun(
  { database }: LoopPlace,
  { lease, run }: { lease: Lease; run: string },
  end: "done" | "failed",
): Promise<void> {
  const { fence, task: id } = lease;
  if (id === null) throw new Error("no task");
  const by = end === "done" ? "succeed" : "fail";
  await change(database, { what: "run", id: run, by, from: "running", fence });
  if (end === "failed") {
    const set = { detail: "It did not work." };
    await change(database, { what: "task", id, by: "give_up", from: "running", fence, set });
    return;
  }
  await change(database, { what: "task", id, by: "submit", from: "running", fence });
  await change(database, {
    what: "task",
    id,
    by: "merge",
    from: "blocked(awaiting_judge)",
    set: { mergedOid: `oid-${id}` },
  });
}
