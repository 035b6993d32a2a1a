import { loopSettings, type StageRole } from "@opentiger/schema";
import { change } from "./change.ts";
import type { Claim, ClaimLimits, ClaimRequest } from "./claims.ts";
import type { Database } from "./database.ts";
import type { Lease } from "./lease.ts";
import { createLoop, type LoopRow } from "./loops.ts";
import { ensureRepository } from "./repositories.ts";
import { listTasks, type NewTask, type TaskRow } from "./tasks.ts";

/** A task for a test; it may touch only what its title says. */
export function newTask(title: string, more: Partial<NewTask> = {}): NewTask {
  return { title, role: "worker", instructions: "Do it.", needs: [], allowedPaths: [`${title}/**`], ...more };
}

/** A running loop with these tasks, for a test. */
export async function newLoop(
  database: Database,
  tasks: readonly NewTask[],
): Promise<{ loop: LoopRow; tasks: TaskRow[] }> {
  const repository = await ensureRepository(database, { path: "/somewhere", name: "somewhere" });
  const loop = await createLoop(database, {
    repository: repository.id,
    requirement: "It should work.",
    source: { kind: "prose" },
    settings: loopSettings.parse({}),
    baseOid: "0".repeat(40),
    plan: { tasks, approved: true },
  });
  return { loop, tasks: (await listTasks(database, { loop: loop.id, limit: 500 })).items };
}

const plenty: ClaimLimits = {
  running: 100,
  roles: { planner: 100, worker: 100, tester: 100, docser: 100, judge: 100 },
};

/** A claim of everything there is, without limits unless they are given. */
export function claimOf(
  owner: string,
  limits: { running?: number; roles?: Partial<ClaimLimits["roles"]> } = {},
  roles: readonly StageRole[] = ["merger", "judge", "tester", "worker", "docser", "planner"],
): ClaimRequest {
  return {
    owner,
    roles,
    leaseMs: 60_000,
    limits: { running: limits.running ?? plenty.running, roles: { ...plenty.roles, ...limits.roles } },
  };
}

/** The lease of a claim that must succeed. */
export async function claimed(claiming: Promise<Claim>): Promise<Lease> {
  const claim = await claiming;
  if (!claim.claimed) throw new Error("nothing could be claimed");
  return claim.lease;
}

/** The run of this lease is over, and its task waits for the judge. */
export async function submit(database: Database, { task, fence }: Lease): Promise<void> {
  const done = await change(database, { what: "task", id: task ?? "", by: "submit", from: "running", fence });
  if (!done.changed) throw new Error("the lease is over");
}
