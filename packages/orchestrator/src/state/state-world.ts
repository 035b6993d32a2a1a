import assert from "node:assert/strict";
import { type LoopState, type StageKind, stageKind, stageState, type TaskState } from "@opentiger/schema";
import { z } from "zod";
import { BelievedLoop } from "./believed-loop.ts";
import { advanceBranch } from "./branch.ts";
import { type Change, change } from "./change.ts";
import { claimStage } from "./claims.ts";
import type { Database } from "./database.ts";
import { listEvents } from "./events.ts";
import { heartbeat, type Lease, releaseLease, takeOver } from "./lease.ts";
import { findLoop } from "./loops.ts";
import { allRows, type Queryable } from "./rows.ts";
import type { NewTask, TaskRow } from "./tasks.ts";
import { claimOf, newLoop } from "./temporary-loops.ts";
import { allows, transitionOf, type transitions } from "./transitions.ts";

export type Action =
  | { kind: "claim"; owner: 0 | 1; crash: boolean }
  | { kind: "claimBoth" }
  | { kind: "use"; lease: number; choice: number; crash: boolean }
  | { kind: "person"; task: number; choice: number; crash: boolean }
  | { kind: "loop"; choice: number; crash: boolean }
  | { kind: "takeOver"; lease: number; owner: 0 | 1 }
  | { kind: "release"; lease: number }
  | { kind: "heartbeat"; lease: number };

/** What a holder may do with the stage that he has claimed. */
const uses = {
  plan: [],
  run: ["submit", "again", "wait_for_quota", "give_up"],
  judge: ["pass", "reject", "rejudge", "give_up"],
  merge: ["merge", "merge", "rejudge"],
} as const satisfies Record<StageKind, readonly (keyof typeof transitions.task)[]>;

const personal = ["pause", "resume", "cancel", "retry", "block", "unblock", "approve"] as const;
const ofLoop = ["pause", "resume", "fail", "reopen"] as const;

/** A loop and what is believed of it. Every action is done to both, and they must never differ. */
export class StateWorld {
  readonly #databases: readonly [Database, Database];
  readonly #believed: BelievedLoop;
  readonly #loop: { id: string; branchOid: string | null };

  static async create(
    databases: readonly [Database, Database],
    plan: readonly NewTask[],
    running: number,
  ): Promise<StateWorld> {
    await databases[0].query("truncate loops, repositories cascade");
    const { loop, tasks } = await newLoop(databases[0], plan);
    return new StateWorld(databases, running, tasks, { id: loop.id, branchOid: loop.branchOid });
  }

  private constructor(
    databases: readonly [Database, Database],
    running: number,
    tasks: readonly TaskRow[],
    loop: { id: string; branchOid: string | null },
  ) {
    this.#databases = databases;
    this.#believed = new BelievedLoop(tasks, running);
    this.#loop = loop;
  }

  states(): TaskState[] {
    return this.#believed.tasks.map(({ state }) => state);
  }

  async act(action: Action): Promise<void> {
    switch (action.kind) {
      case "claim":
        return this.#claim(action.owner, action.crash);
      case "claimBoth":
        return this.#claimBoth();
      case "person":
        return this.#person(action.task, action.choice, action.crash);
      case "loop":
        return this.#changeLoop(action.choice, action.crash);
      default: {
        const lease = this.#believed.leases[action.lease % Math.max(1, this.#believed.leases.length)];
        if (lease) await this.#actWith(lease, action);
      }
    }
  }

  /** The tables say what is believed, and what is never allowed is not there. */
  async check(): Promise<void> {
    const shape = z.object({
      state: z.string(),
      kind: stageKind.nullable(),
      stage: stageState.nullable(),
      fence: z.number().nullable(),
    });
    const rows = await allRows(
      this.#databases[0],
      shape,
      `select t.status || coalesce('(' || t.reason || ')', '') as state, s.kind, s.state as stage,
         case when s.state = 'claimed' then s.fence end as fence
       from tasks t left join stages s on s.task_id = t.id and s.state <> 'ended'
       where t.loop_id = $1 order by t.number`,
      [this.#loop.id],
    );
    const believed = this.#believed.tasks.map((task) => ({
      state: task.state,
      kind: task.stage,
      stage: this.#believed.stageState(task),
      fence: task.lease?.fence ?? null,
    }));
    assert.deepEqual(rows, believed);
    this.#believed.checkTogether();
  }

  /** One event for each change and no other, each beginning where the one before ended. */
  async checkEvents(): Promise<void> {
    const { items } = await listEvents(this.#databases[0], { loop: this.#loop.id, limit: 500 });
    const step = z.object({ from: z.string().optional(), to: z.string() });
    for (const { row, state, changes } of this.#believed.tasks) {
      const steps = items.filter(({ task }) => task === row.id).map(({ data }) => step.parse(data));
      assert.equal(steps.length, changes + 1);
      for (const [index, { from }] of steps.entries()) assert.equal(from, steps[index - 1]?.to);
      assert.equal(steps.at(-1)?.to, state);
    }
    const steps = items.filter(({ task }) => task === null).map(({ data }) => step.parse(data));
    assert.equal(steps.length, this.#believed.changes + 1);
    assert.equal(steps.at(-1)?.to, this.#believed.state);
    assert.equal((await findLoop(this.#databases[0], this.#loop.id))?.branchOid, this.#loop.branchOid);
  }

  /** Everybody does his work from here on: all tasks must get done, whatever happened before. */
  async finish(): Promise<void> {
    for (const by of ["resume", "reopen"] as const) await this.#changeLoop(ofLoop.indexOf(by), false);
    for (
      let round = 0;
      round < 10 * this.#believed.tasks.length && this.states().some((s) => s !== "done");
      round++
    ) {
      for (const [index] of this.#believed.tasks.entries()) {
        for (const by of ["resume", "retry", "unblock"] as const) {
          await this.#person(index, personal.indexOf(by), false);
        }
      }
      await this.#claim(0, false);
      for (const { lease } of this.#believed.tasks) if (lease) await this.#use(lease, 0, false);
      await this.check();
    }
  }

  async #claim(owner: 0 | 1, crash: boolean): Promise<void> {
    const request = claimOf(`owner-${owner}`, { running: this.#believed.running });
    const claim = await this.#maybe(owner, crash, (on) => claimStage(on, request));
    if (!claim) return;
    if (claim.claimed) this.#believed.believeClaim(claim.lease);
    else assert.ok(!this.#believed.canClaim(), "something could have been claimed");
  }

  async #claimBoth(): Promise<void> {
    const claims = await Promise.all(
      this.#databases.map((database, owner) =>
        claimStage(database, claimOf(`owner-${owner}`, { running: this.#believed.running })),
      ),
    );
    const leases = claims.flatMap((claim) => (claim.claimed ? [claim.lease] : []));
    // In the order in which they happened does not matter: two never take the same, nor the same paths.
    for (const lease of leases) this.#believed.believeClaim(lease);
  }

  async #actWith(lease: Lease, action: Extract<Action, { lease: number }>): Promise<void> {
    const [database] = this.#databases;
    const task = this.#believed.taskOf(lease);
    const held = task.lease === lease;
    if (action.kind === "use") await this.#use(lease, action.choice, action.crash);
    if (action.kind === "heartbeat")
      assert.equal((await heartbeat(database, lease, 60_000)) !== undefined, held);
    if (action.kind === "release") {
      assert.equal(await releaseLease(database, lease), held);
      if (held && lease.kind === "run") this.#believed.believe(task, "again");
      else if (held) task.lease = null;
    }
    if (action.kind === "takeOver") {
      const taker = { owner: `owner-${action.owner}`, leaseMs: 60_000, deadOwner: lease.owner };
      const taken = await takeOver(this.#databases[action.owner], lease, taker);
      assert.equal(taken !== undefined, held);
      if (!taken) return;
      task.lease = taken;
      this.#believed.leases.push(taken);
    }
  }

  /** With a lease that may be over long since: then nothing must change. */
  async #use(lease: Lease, choice: number, crash: boolean): Promise<void> {
    const task = this.#believed.taskOf(lease);
    const by = uses[lease.kind][choice % uses[lease.kind].length];
    if (by === undefined) return;
    const toOid = `${this.#loop.branchOid}+${task.row.number}`;
    const done = await this.#maybe(0, crash, async (on) => {
      if (by === "merge") {
        const advance = { loop: lease.loop, task: task.row.id, fromOid: this.#loop.branchOid, toOid };
        return (await advanceBranch(on, { ...advance, fence: lease.fence })).advanced;
      }
      const from = lease.kind === "run" ? "running" : "blocked(awaiting_judge)";
      return (await change(on, asChange({ what: "task", id: task.row.id, by, from, fence: lease.fence })))
        .changed;
    });
    if (done === undefined) return;
    assert.equal(done, task.lease === lease);
    if (!done) return;
    if (by === "merge") this.#loop.branchOid = toOid;
    this.#believed.believe(task, by);
  }

  async #person(index: number, choice: number, crash: boolean): Promise<void> {
    const task = this.#believed.tasks[index % this.#believed.tasks.length];
    const by = personal[choice % personal.length];
    if (!task || !by || !allows("task", by, task.state)) return;
    const asked = asChange({ what: "task", id: task.row.id, by, from: task.state });
    const done = await this.#maybe(1, crash, (on) => change(on, asked));
    assert.notEqual(done?.changed, false);
    if (done) this.#believed.believe(task, by);
  }

  async #changeLoop(choice: number, crash: boolean): Promise<void> {
    const by = ofLoop[choice % ofLoop.length];
    const { id } = this.#loop;
    const { state } = this.#believed;
    if (!by || !allows("loop", by, state)) return;
    const to = by === "pause" ? "paused(asked)" : undefined;
    const done = await this.#maybe(1, crash, (on) =>
      change(on, asChange({ what: "loop", id, by, from: state, to })),
    );
    assert.notEqual(done?.changed, false);
    if (!done) return;
    this.#believed.state = { pause: "paused(asked)", resume: "running", fail: "failed", reopen: "running" }[
      by
    ] as LoopState;
    this.#believed.changes += 1;
  }

  /** Does it, or dies before it is committed: then it was not done, and undefined is what the caller knows. */
  async #maybe<T>(owner: 0 | 1, crash: boolean, work: (on: Queryable) => Promise<T>): Promise<T | undefined> {
    if (!crash) return this.#databases[owner].transaction(work);
    const died = new Error("died");
    const dying = this.#databases[owner].transaction(async (on) => {
      await work(on);
      throw died;
    });
    await assert.rejects(dying, died);
    return undefined;
  }
}

/** Which of the transitions it is, is not known here; that it is one of the table, `change` itself sees to. */
function asChange(asked: {
  what: "task" | "loop";
  id: string;
  by: string;
  from: string;
  fence?: number;
  to?: string | undefined;
}): Change {
  transitionOf(asked.what, asked.by);
  return asked as Change;
}
