import assert from "node:assert/strict";
import type { LoopState, TaskState } from "@opentiger/schema";
import { asChange, Stale, useLease, uses } from "./believed-holder.ts";
import { type Believed, BelievedLoop } from "./believed-loop.ts";
import { change } from "./change.ts";
import { claimStage } from "./claims.ts";
import type { Database } from "./database.ts";
import { settleDependents } from "./dependents.ts";
import { heartbeat, type Lease, releaseLease, takeOver } from "./lease.ts";
import type { Queryable } from "./rows.ts";
import { startRun } from "./runs.ts";
import { expiredStages } from "./stages.ts";
import { checkEvents, checkTables } from "./state-world-checks.ts";
import type { NewTask, TaskRow } from "./tasks.ts";
import { claimOf, newLoop } from "./temporary-loops.ts";
import { allows } from "./transitions.ts";

export type Action =
  | { kind: "claim"; owner: 0 | 1; crash: boolean }
  | { kind: "claimBoth" }
  | { kind: "use"; lease: number; choice: number; crash: boolean }
  | { kind: "person"; task: number; choice: number; crash: boolean }
  | { kind: "loop"; choice: number; crash: boolean }
  | { kind: "settle"; crash: boolean }
  | { kind: "sweep" }
  | { kind: "die"; owner: 0 | 1 }
  | { kind: "takeOver"; lease: number; owner: 0 | 1 }
  | { kind: "release"; lease: number }
  | { kind: "heartbeat"; lease: number };

const personal = ["pause", "resume", "cancel", "retry", "block", "unblock", "approve", "send_back"] as const;
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

  /** Whether all that is done is on the branch, and nothing goes on. */
  isWhole(): boolean {
    const { tasks, strays } = this.#believed;
    return tasks.every(({ merged, run }) => merged && run === null) && strays.size === 0;
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
      case "settle":
        return this.#settle(action.crash);
      case "sweep":
        return this.#sweep();
      case "die":
        return this.#die(action.owner);
      default: {
        const lease = this.#believed.leases[action.lease % Math.max(1, this.#believed.leases.length)];
        if (lease) await this.#actWith(lease, action);
      }
    }
  }

  check(): Promise<void> {
    return checkTables(this.#databases[0], this.#loop.id, this.#believed);
  }

  checkEvents(): Promise<void> {
    return checkEvents(this.#databases[0], this.#loop, this.#believed);
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
        for (const by of ["resume", "retry"] as const) await this.#person(index, personal.indexOf(by), false);
      }
      await this.#settle(false);
      await this.#claim(0, false);
      for (const { lease } of this.#believed.tasks) if (lease) await this.#use(lease, 0, false);
      await this.check();
    }
    await this.#sweep();
  }

  async #claim(owner: 0 | 1, crash: boolean): Promise<void> {
    const request = claimOf(`owner-${owner}`, { running: this.#believed.running });
    const claim = await this.#maybe(owner, crash, (on) => claimStage(on, request));
    if (!claim) return;
    if (claim.claimed) await this.#begin(claim.lease);
    else assert.ok(!this.#believed.canClaim(), "something could have been claimed");
  }

  async #claimBoth(): Promise<void> {
    const claims = await Promise.all(
      this.#databases.map((database, owner) =>
        claimStage(database, claimOf(`owner-${owner}`, { running: this.#believed.running })),
      ),
    );
    // In the order in which they happened does not matter: two never take the same, nor the same paths.
    for (const claim of claims) if (claim.claimed) await this.#begin(claim.lease);
  }

  async #begin(lease: Lease): Promise<void> {
    this.#believed.believeClaim(lease);
    if (lease.kind !== "run") return;
    const run = await startRun(this.#databases[0], lease, { agent: "claude_code", role: "worker" });
    assert.ok(run, "who has just claimed has the lease");
    this.#believed.taskOf(lease).run = run.id;
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
      this.#taken(task, held, await takeOver(this.#databases[action.owner], lease, taker));
    }
  }

  #taken(task: Believed, held: boolean, taken: Lease | undefined): void {
    assert.equal(taken !== undefined, held);
    if (!taken) return;
    task.lease = taken;
    this.#believed.leases.push(taken);
  }

  /** Nothing is heard of this one any more: all that it had is found when its leases have expired, and is the other's. */
  async #die(owner: 0 | 1): Promise<void> {
    const [database] = this.#databases;
    await database.query(
      "update stages set lease_until = now() - interval '1 second' where state = 'claimed' and owner = $1",
      [`owner-${owner}`],
    );
    const expired = await expiredStages(database, 100);
    const had = this.#believed.tasks.filter(({ lease }) => lease?.owner === `owner-${owner}`);
    assert.deepEqual(new Set(expired.map(({ task }) => task)), new Set(had.map(({ row }) => row.id)));
    for (const { id: stage, ...rest } of expired) {
      const task = had.find(({ row }) => row.id === rest.task);
      assert.ok(task);
      const taker = { owner: `owner-${1 - owner}`, leaseMs: 60_000 };
      this.#taken(
        task,
        true,
        await takeOver(this.#databases[owner === 0 ? 1 : 0], { stage, ...rest }, taker),
      );
    }
  }

  /** With a lease that may be over long since: then nothing must change. */
  async #use(lease: Lease, choice: number, crash: boolean): Promise<void> {
    const task = this.#believed.taskOf(lease);
    const by = uses[lease.kind][choice % uses[lease.kind].length];
    const tests = this.#believed.held(task);
    if (by === undefined || (by === "dispute" && tests.length === 0)) return;
    const { branchOid } = this.#loop;
    const toOid = this.#believed.isHeldForOther(task) ? null : `${branchOid}+${task.row.number}`;
    const done = await this.#maybe(0, crash, (on) =>
      useLease(on, { lease, by, task, tests, branchOid, toOid }),
    );
    if (done === undefined) return;
    assert.equal(done, task.lease === lease);
    if (!done) return;
    if (lease.kind === "run") task.run = null;
    if (by === "merge" && toOid !== null) {
      this.#loop.branchOid = toOid;
      for (const each of [task, ...tests]) each.merged = true;
    }
    if (by === "dispute") for (const each of tests) this.#believed.believe(each, "dispute");
    this.#believed.believe(task, by === "dispute" ? "again" : by);
  }

  async #person(index: number, choice: number, crash: boolean): Promise<void> {
    const task = this.#believed.tasks[index % this.#believed.tasks.length];
    const by = personal[choice % personal.length];
    if (!task || !by || !allows("task", by, task.state)) return;
    const asked = asChange({ what: "task", id: task.row.id, by, from: task.state });
    const done = await this.#maybe(1, crash, (on) => change(on, asked));
    if (done === undefined) return;
    assert.ok(done !== false && done.changed);
    this.#believed.believe(task, by);
  }

  /** What needs a task that ended badly waits for it, and nothing else does. */
  async #settle(crash: boolean): Promise<void> {
    const settled = await this.#maybe(1, crash, (on) => settleDependents(on, this.#loop.id));
    if (!settled) return;
    const { tasks } = this.#believed;
    const blocked = tasks.filter((task) => task.state === "queued" && this.#believed.isStuck(task));
    const unblocked = tasks.filter((task) => {
      return task.state === "blocked(dependency_failed)" && !this.#believed.isStuck(task);
    });
    assert.deepEqual(
      settled.blocked,
      blocked.map(({ row }) => row.id),
    );
    assert.deepEqual(
      settled.unblocked,
      unblocked.map(({ row }) => row.id),
    );
    for (const task of blocked) this.#believed.believe(task, "block");
    for (const task of unblocked) this.#believed.believe(task, "unblock");
  }

  /** Runs that are nobody's any more are lost, and no task is moved by it. */
  async #sweep(): Promise<void> {
    for (const id of this.#believed.strays) {
      const lost = await change(this.#databases[1], { what: "run", id, by: "lose", from: "running" });
      assert.ok(lost.changed);
      this.#believed.strays.delete(id);
    }
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
    if (done === undefined) return;
    assert.ok(done !== false && done.changed);
    this.#believed.state = { pause: "paused(asked)", resume: "running", fail: "failed", reopen: "running" }[
      by
    ] as LoopState;
    this.#believed.changes += 1;
  }

  /** Does it, or dies before it is committed: then it was not done, and undefined is what the caller knows. */
  async #maybe<T>(
    owner: 0 | 1,
    crash: boolean,
    work: (on: Queryable) => Promise<T>,
  ): Promise<T | false | undefined> {
    const died = new Error("died");
    const doing = this.#databases[owner].transaction(async (on) => {
      const result = await work(on);
      if (crash) throw died;
      return result;
    });
    return doing.catch((error: unknown) => {
      if (error === died) return undefined;
      if (error instanceof Stale) return crash ? undefined : false;
      throw error;
    });
  }
}
