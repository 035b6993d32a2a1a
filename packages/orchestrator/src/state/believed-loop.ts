import assert from "node:assert/strict";
import type { LoopState, StageKind, TaskState } from "@opentiger/schema";
import type { Lease } from "./lease.ts";
import { pathsOverlap } from "./overlap.ts";
import type { TaskRow } from "./tasks.ts";
import { transitions } from "./transitions.ts";

/** A task, as it ought to be. */
export interface Believed {
  row: TaskRow;
  state: TaskState;
  stage: StageKind | null;
  lease: Lease | null;
  /** On the branch; tests that are done wait for their code. */
  merged: boolean;
  /** The one that goes on, as far as anybody has said. */
  run: string | null;
  changes: number;
}

/** A loop as it ought to be, in memory, without any database: what a test holds the tables against. */
export class BelievedLoop {
  readonly tasks: readonly Believed[];
  readonly running: number;
  readonly leases: Lease[] = [];
  /** Runs that go on although nobody has their stage. */
  readonly strays = new Set<string>();
  state: LoopState = "running";
  changes = 0;

  constructor(tasks: readonly TaskRow[], running: number) {
    this.running = running;
    const fresh = {
      state: "queued",
      stage: "run",
      lease: null,
      merged: false,
      run: null,
      changes: 0,
    } as const;
    this.tasks = tasks.map((row) => ({ row, ...fresh }));
  }

  believe(task: Believed, by: keyof typeof transitions.task): void {
    const { to, stage } = transitions.task[by];
    [task.state] = to;
    task.changes += 1;
    if (stage === "same") return;
    task.stage = stage === "none" ? null : stage;
    task.lease = null;
    if (task.run !== null) this.strays.add(task.run);
    task.run = null;
  }

  believeClaim(lease: Lease): void {
    const task = this.taskOf(lease);
    assert.equal(this.stageState(task), "ready", "what was claimed was ready");
    assert.equal(lease.kind, task.stage);
    if (lease.kind === "run") this.believe(task, "claim");
    task.lease = lease;
    this.leases.push(lease);
  }

  /** Of the stage that has not ended. */
  stageState(task: Believed): "waiting" | "ready" | "claimed" | null {
    if (task.stage === null) return null;
    if (task.lease) return "claimed";
    const ready = this.needed(task).every(({ state }) => state === "done");
    return this.state === "running" && ready ? "ready" : "waiting";
  }

  needed(task: Believed): Believed[] {
    return this.tasks.filter(({ row }) => task.row.needs.includes(row.number));
  }

  /** Tests that come to the branch together with this one. */
  held(task: Believed): Believed[] {
    return this.needed(task).filter(
      ({ row, state, merged }) => row.role === "tester" && state === "done" && !merged,
    );
  }

  /** Its tests wait for the code of a worker. */
  isHeldForOther({ row }: Believed): boolean {
    const workers = this.tasks.filter((other) => other.row.role === "worker");
    return row.role === "tester" && workers.some((other) => other.row.needs.includes(row.number));
  }

  /** Whether something that it needs has ended badly, however many others lie between. */
  isStuck(task: Believed): boolean {
    return this.needed(task).some((need) => {
      return need.state === "failed" || need.state === "cancelled" || this.isStuck(need);
    });
  }

  /** Whether there is something that a claim must find. */
  canClaim(): boolean {
    const slots = this.tasks.filter(({ lease }) => lease && lease.kind !== "merge").length < this.running;
    return this.tasks.some((task) => {
      if (this.stageState(task) !== "ready") return false;
      if (task.stage === "merge") return true;
      return slots && (task.stage !== "run" || !this.active().some((other) => meet(task, other)));
    });
  }

  /** What is worked on at the same time may be. */
  checkTogether(): void {
    const active = this.active();
    for (const [index, task] of active.entries()) {
      for (const other of active.slice(index + 1))
        assert.ok(!meet(task, other), "two work on the same paths");
    }
    const claimed = this.tasks.filter(({ lease }) => lease && lease.kind !== "merge").length;
    assert.ok(claimed <= this.running, "more is claimed than may be");
  }

  /** On whose paths nobody else may work. */
  active(): Believed[] {
    return this.tasks.filter(({ state }) => state === "running" || state === "blocked(awaiting_judge)");
  }

  taskOf(lease: Lease): Believed {
    const task = this.tasks.find(({ row }) => row.id === lease.task);
    assert.ok(task, "a lease is on a task of the loop");
    return task;
  }
}

function meet(one: Believed, other: Believed): boolean {
  return pathsOverlap(one.row.allowedPaths, other.row.allowedPaths);
}
