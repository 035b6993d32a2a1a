import type { StageRole } from "@opentiger/schema";
import { z } from "zod";
import { OrchestratorError } from "../errors.ts";
import { type Budgets, overspent } from "./budgets.ts";
import { change } from "./change.ts";
import { type Candidate, candidates, taskArea } from "./claim-candidates.ts";
import { Database } from "./database.ts";
import { type Lease, takeLease } from "./lease.ts";
import { lockClaims, tryLockLoop } from "./locks.ts";
import { type InLine, isItsTurn, mergeLine } from "./merge-line.ts";
import { pathsOverlap } from "./overlap.ts";
import { allRows, type Queryable } from "./rows.ts";
import { findTask } from "./tasks.ts";
import { isCollision } from "./transaction.ts";
import { allows } from "./transitions.ts";

export interface ClaimRequest {
  /** Who it is: unique among all who claim, and never used again. */
  owner: string;
  /** What it would do. */
  roles: readonly StageRole[];
  limits: ClaimLimits;
  /** So long after its last heartbeat it is given up. */
  leaseMs: number;
  /** Hears of a loop in which something cannot be claimed, or not even looked at; others are claimed all the same. */
  onTrouble?: (loop: string, error: unknown) => void;
}

/** How much may be claimed at the same time, by all together, in all loops. */
export interface ClaimLimits {
  /** In all; merging does not count. */
  running: number;
  roles: Readonly<Record<Exclude<StageRole, "merger">, number>>;
  /** Where they are used up nothing is claimed that costs: all but merging. Without them nobody asks. */
  budgets?: Budgets;
}

export type Claim =
  | { claimed: true; lease: Lease }
  | {
      claimed: false;
      /** There may be something in a loop that somebody was just changing; look again soon. */
      busy: boolean;
      /** Loops that have something to do and no budget for it: they are to be paused. */
      overBudget: readonly string[];
    };

/** What is nearly done comes first. */
const order: readonly StageRole[] = ["merger", "judge", "tester", "worker", "docser", "planner"];

/**
 * Claims the stage that has been ready for longest and may be worked on now: nobody else works on anything in its loop
 * that could touch the same paths, and no limit is passed. Its task is running when this returns. Claims happen one
 * after the other, so that two dispatchers never pass a limit together. A loop of which a row is not as it must be is
 * left out, and is nobody else's trouble.
 */
export async function claimStage(on: Database | Queryable, request: ClaimRequest): Promise<Claim> {
  if (on instanceof Database) return on.transaction((connection) => claimStage(connection, request));
  await lockClaims(on);
  const loops = new LoopAreas(on, request.limits.budgets);
  const roles = await freeRoles(on, request);
  await on.query("savepoint nothing_claimed");
  for (const role of roles) {
    for await (const candidate of candidates(on, role, loops.closed)) {
      const lease = await claimAdmitted(on, loops, candidate, request).catch(async (error: unknown) => {
        if (isCollision(error)) throw error;
        // Where the connection is lost this fails too.
        await on.query("rollback to savepoint nothing_claimed");
        loops.leaveOut(candidate.loop);
        request.onTrouble?.(candidate.loop, error);
      });
      if (lease) return { claimed: true, lease };
    }
  }
  return { claimed: false, busy: loops.busy, overBudget: [...loops.overBudget] };
}

async function claimAdmitted(
  on: Queryable,
  loops: LoopAreas,
  candidate: Candidate,
  request: ClaimRequest,
): Promise<Lease | undefined> {
  return (await loops.admit(candidate)) ? claimCandidate(on, candidate, request) : undefined;
}

/** Those of which one more may be claimed. */
async function freeRoles(on: Queryable, { roles, limits }: ClaimRequest): Promise<StageRole[]> {
  const shape = z.object({ role: z.string(), count: z.number() });
  const rows = await allRows(
    on,
    shape,
    "select role, count(*) from stages where state = 'claimed' group by role",
  );
  const counts = new Map(rows.map(({ role, count }) => [role, count]));
  const running = rows.reduce((sum, { role, count }) => (role === "merger" ? sum : sum + count), 0);
  return order.filter((role) => {
    if (!roles.includes(role)) return false;
    return role === "merger" || (running < limits.running && (counts.get(role) ?? 0) < limits.roles[role]);
  });
}

/** What is being worked on in the loops that a claim comes across. Each is locked when it is first looked at. */
class LoopAreas {
  /** Loops in which nothing more can be claimed now. */
  readonly closed = new Set<string>();
  readonly overBudget = new Set<string>();
  busy = false;
  readonly #on: Queryable;
  readonly #budgets: Budgets | undefined;
  readonly #areas = new Map<string, readonly (readonly string[])[]>();
  readonly #affordable = new Set<string>();
  readonly #lines = new Map<string, readonly InLine[]>();

  constructor(on: Queryable, budgets: Budgets | undefined) {
    this.#on = on;
    this.#budgets = budgets;
  }

  /** Whether the candidate may be worked on beside what is worked on already. */
  async admit({ loop, task, kind, area: own }: Candidate): Promise<boolean> {
    const areas = this.#areas.get(loop) ?? (await this.#look(loop));
    if (!areas) return false;
    if (kind !== "merge" && !(await this.#affords(loop))) return false;
    // What is judged and merged has its paths already; a plan has none.
    if (kind === "plan") return true;
    if (kind !== "run") return isItsTurn(await this.#line(loop), task);
    if (areas.some((area) => area.length === 0)) this.closed.add(loop);
    return !areas.some((area) => pathsOverlap(area, own ?? []));
  }

  /** After what was done has been undone, and with it the locks: the others are looked at anew. */
  leaveOut(loop: string): void {
    this.closed.add(loop);
    this.#areas.clear();
    this.#affordable.clear();
    this.#lines.clear();
  }

  async #line(loop: string): Promise<readonly InLine[]> {
    const line = this.#lines.get(loop) ?? (await mergeLine(this.#on, loop));
    this.#lines.set(loop, line);
    return line;
  }

  /** Asked while the loop is locked and one claims at a time, so that two do not both take what is left. */
  async #affords(loop: string): Promise<boolean> {
    if (this.#budgets === undefined || this.#affordable.has(loop)) return true;
    if (this.overBudget.has(loop)) return false;
    if (await overspent(this.#on, loop, this.#budgets)) {
      this.overBudget.add(loop);
      this.closed.add(loop);
      return false;
    }
    this.#affordable.add(loop);
    return true;
  }

  async #look(loop: string): Promise<readonly (readonly string[])[] | undefined> {
    if (this.closed.has(loop)) return undefined;
    // Not waited for: a process that was stopped in the middle of a change would stop all claims.
    if (!(await tryLockLoop(this.#on, loop))) {
      this.busy = true;
      this.closed.add(loop);
      return undefined;
    }
    const rows = await allRows(
      this.#on,
      z.object({ area: z.array(z.string()) }),
      `select ${taskArea} as area from tasks t
       where loop_id = $1 and (status = 'running' or reason = 'awaiting_judge')`,
      [loop],
    );
    const areas = rows.map(({ area }) => area);
    this.#areas.set(loop, areas);
    return areas;
  }
}

/** undefined: somebody else changed it before its loop was locked. */
async function claimCandidate(
  on: Queryable,
  candidate: Candidate,
  { owner, leaseMs }: ClaimRequest,
): Promise<Lease | undefined> {
  const { count } = await on.query(
    "select 1 from stages where id = $1 and state = 'ready' and not_before <= now() for update skip locked",
    [candidate.stage],
  );
  if (count === 0) return undefined;
  const lease = await takeLease(on, candidate, { owner, leaseMs });
  if (lease.kind !== "run" || lease.task === null) return lease;
  const task = await findTask(on, lease.task);
  if (!task || !allows("task", "claim", task.state)) throw misplaced(lease, task?.state);
  const data = { owner, stage: lease.stage };
  await change(on, { what: "task", id: task.id, by: "claim", from: task.state, fence: lease.fence, data });
  return lease;
}

function misplaced({ stage, task }: Lease, state: string | undefined): OrchestratorError {
  return new OrchestratorError(
    "internal",
    `stage ${stage} is ready, and its task ${task} is ${state ?? "not there"}`,
  );
}
