import { spawn } from "node:child_process";
import { once } from "node:events";
import { startTimeOf } from "@opentiger/sandbox";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { until } from "../../../../tests/setup/until.ts";
import { type CountedWork, countedWork } from "../fixture/counted-work.ts";
import { temporaryDatabase } from "../fixture/temporary-database.ts";
import { claimed, claimOf, newLoop, newTask } from "../fixture/temporary-loops.ts";
import { cancelTask } from "../loops/cancel-task.ts";
import { type OpenPlace, openPlace } from "../process/open-place.ts";
import { thisMachine } from "../process/owner.ts";
import { LeaseLost, ProcessEnding } from "../stage/lease-lost.ts";
import { change } from "../state/change.ts";
import { claimStage } from "../state/claims.ts";
import type { Lease } from "../state/lease.ts";
import { lockLoop } from "../state/locks.ts";
import { openStage } from "../state/stages.ts";
import { findTask, listTasks } from "../state/tasks.ts";
import { showingLife } from "../state/transaction.ts";
import { Dispatcher, type DispatcherOptions } from "./dispatcher.ts";

const instance = await temporaryDatabase();

let place: OpenPlace;
let other: OpenPlace;
let started: Dispatcher[] = [];

beforeAll(async () => {
  place = await openPlace(instance.env, { program: "one" });
  other = await openPlace(instance.env, { program: "other" });
});

beforeEach(async () => {
  await place.database.query("truncate loops, repositories cascade");
  await place.config.patch({ OPENTIGER_MAX_RUNNING: null, OPENTIGER_MAX_WORKERS: null }, "test");
});

afterEach(async () => {
  await Promise.all(started.map((dispatcher) => dispatcher.stop()));
  started = [];
});

afterAll(async () => {
  await Promise.all([place.close(), other.close()]);
  await instance.remove();
});

it("works off a loop in the order of what its tasks need, and none twice, with two of them", async () => {
  const tasks = Array.from({ length: 12 }, (_, index) =>
    newTask(`t${index}`, { needs: index % 3 === 0 ? [] : [index] }),
  );
  const { loop } = await newLoop(place.database, tasks);
  const [one, two] = [countedWork(), countedWork()];
  start(one);
  start(two, { reconciles: false }, other);
  await until("all are done", () => allDone(loop.id));
  const stages = [...one.begun, ...two.begun].map(({ stage }) => stage);
  expect(new Set(stages).size).toBe(stages.length);
  expect(stages).toHaveLength(24);
  expect([...one.failures, ...two.failures]).toEqual([]);
});

it("stops although an engine hangs that its reconciler has asked", async () => {
  await newLoop(place.database, [newTask("a")]);
  const asked = new AbortController();
  const backend = () => {
    asked.abort();
    return new Promise<never>(() => {});
  };
  const dispatcher = Dispatcher.start({ ...place, backend }, { roles: [], reconciles: true });
  if (!asked.signal.aborted) await once(asked.signal, "abort");
  const begun = performance.now();
  await dispatcher.stop();
  expect(performance.now() - begun).toBeLessThan(30_000);
});

it("never works on more at once than the settings allow, and takes a changed setting at once", async () => {
  await place.config.patch({ OPENTIGER_MAX_RUNNING: 2 }, "test");
  const { loop } = await newLoop(
    place.database,
    Array.from({ length: 8 }, (_, index) => newTask(`t${index}`)),
  );
  let release = false;
  const work = countedWork(() => until("it may go on", () => release).then(() => {}));
  start(work);
  await until("two are begun", () => work.begun.length === 2);
  await place.config.patch({ OPENTIGER_MAX_RUNNING: 3 }, "test");
  await until("a third one is begun", () => work.begun.length === 3);
  release = true;
  await until("all are done", () => allDone(loop.id));
  expect(work.most).toBe(3);
});

it("a stage whose owner was killed is taken over at once, long before its lease is over", async () => {
  const { loop } = await newLoop(place.database, [newTask("a")]);
  const owner = await killedOwner();
  const dead = await claimed(claimStage(place.database, { ...claimOf(owner), leaseMs: 3_600_000 }));
  const work = countedWork();
  start(work);
  await until("it is done", () => allDone(loop.id));
  expect(work.begun[0]).toMatchObject({ stage: dead.stage, kind: "run" });
  expect(work.begun[0]?.fence).toBeGreaterThan(dead.fence);
});

it("a loop that somebody keeps locked, or that is broken, holds up nothing that was left in the others", async () => {
  const owner = await killedOwner();
  const left: Lease[] = [];
  for (const name of ["locked", "broken", "sound"]) {
    await newLoop(place.database, [newTask(name)]);
    left.push(await claimed(claimStage(place.database, { ...claimOf(owner), leaseMs: 3_600_000 })));
  }
  const [locked, broken, sound] = left.map(({ stage }) => stage);
  await place.database.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
     create trigger refused before update on stages for each row when (new.id = ${broken}) execute function refuse()`,
  );
  const work = countedWork(
    async (_lease, signal) => void (await until("it is told to stop", () => signal.aborted)),
  );
  const begun = (): number[] => work.begun.map(({ stage }) => stage);
  try {
    await other.database.transaction(async (on) => {
      await lockLoop(on, left[0]?.loop ?? "");
      start(work);
      await showingLife(on, () => until("the sound one is taken over", () => begun().length > 0));
    });
    expect(begun()).toEqual([sound]);
    await until("the locked one is taken over when it is free", () => begun().length > 1);
    expect(begun()).toEqual([sound, locked]);
  } finally {
    await place.database.query("drop trigger refused on stages; drop function refuse()");
  }
  await until("so is the broken one when it is mended", () => begun().length > 2);
  expect(work.begun.map(({ takenOver }) => takenOver)).toEqual([1, 1, 1]);
});

it("a stage whose owner lives, or is on another machine, is left to him until the lease is over", async () => {
  await newLoop(place.database, [newTask("a"), newTask("b"), newTask("c")]);
  const { hostname, bootId, pidNamespace } = thisMachine();
  const alive = [hostname, bootId, pidNamespace, process.pid, startTimeOf(process.pid), "x"].join(":");
  const held = await claimed(claimStage(place.database, claimOf(alive)));
  const far = await claimed(claimStage(place.database, claimOf("elsewhere:1:2:3:4")));
  const work = countedWork();
  start(work);
  await until("the third one is begun", () => work.begun.length > 0);
  await place.database.query("update stages set lease_until = now() where id = $1", [far.stage]);
  await until("the expired one is taken over", () => work.begun.some(({ stage }) => stage === far.stage));
  expect(work.begun.map(({ stage }) => stage)).not.toContain(held.stage);
});

it("what it claimed without having heard so is its own all the same", async () => {
  await newLoop(place.database, [newTask("a")]);
  const work = countedWork();
  await place.config.patch({ OPENTIGER_MAX_RUNNING: 1 }, "test");
  await newLoop(place.database, [newTask("blocks the slot")]);
  let release = false;
  work.during = () => until("it may go on", () => release).then(() => {});
  const dispatcher = start(work);
  await until("one is begun", () => work.begun.length === 1);
  // The dispatcher looks at that loop too, and nobody else can meanwhile.
  const silent = await until("the other is claimed", async () => {
    const claim = await claimStage(place.database, claimOf(dispatcher.owner));
    return claim.claimed ? claim.lease : undefined;
  });
  await until("the other is begun too", () => work.begun.some(({ stage }) => stage === silent.stage));
  release = true;
});

it("a task that is cancelled is stopped within moments, not at the next heartbeat", async () => {
  const { tasks } = await newLoop(place.database, [newTask("a")]);
  let reason: unknown;
  const work = countedWork(async (_lease, signal) => {
    await until("it is told to stop", () => signal.aborted);
    reason = signal.reason;
  });
  start(work, { leaseMs: 600_000 });
  await until("it is begun", () => work.begun.length === 1);
  await cancelTask(place.database, tasks[0]?.id ?? "");
  await until("it was stopped", () => reason);
  expect(reason).toBeInstanceOf(LeaseLost);
  expect(work.failures).toEqual([]);
});

it("a task that waits for its time is begun when that comes, though nobody tells", async () => {
  const { tasks } = await newLoop(place.database, [newTask("a")]);
  const lease = await claimed(claimStage(place.database, claimOf("me")));
  const at = new Date(Date.now() + 1_500);
  const asked = { what: "task", id: tasks[0]?.id ?? "", by: "wait_for_quota", from: "running" } as const;
  await change(place.database, { ...asked, fence: lease.fence, set: { notBefore: at } });
  const work = countedWork();
  start(work);
  await until("it is begun", () => work.begun.length > 0);
  expect(Date.now()).toBeGreaterThanOrEqual(at.getTime());
  expect(Date.now()).toBeLessThan(at.getTime() + 5_000);
});

it("stopped, it leaves everything as it is for the next one, which goes on", async () => {
  const { loop, tasks } = await newLoop(place.database, [newTask("a")]);
  let reason: unknown;
  const work = countedWork(async (_lease, signal) => {
    await until("it is told to stop", () => signal.aborted);
    reason = signal.reason;
    throw new Error("stopped in the middle");
  });
  const dispatcher = start(work);
  await until("it is begun", () => work.begun.length === 1);
  await dispatcher.stop();
  expect(reason).toBeInstanceOf(ProcessEnding);
  expect(await openStage(place.database, tasks[0]?.id ?? "")).toMatchObject({ state: "claimed" });
  await place.database.query("update stages set lease_until = now() where state = 'claimed'");
  const next = countedWork();
  start(next);
  await until("the next one has done it", () => allDone(loop.id));
  expect(work.failures).toEqual([]);
});

it("drained, it ends what it works on and begins nothing more", async () => {
  const { tasks } = await newLoop(place.database, [newTask("a"), newTask("b", { needs: [1] })]);
  let release = false;
  const work = countedWork(() => until("it may go on", () => release).then(() => {}));
  const dispatcher = start(work);
  await until("it is begun", () => work.begun.length === 1);
  const stopped = dispatcher.stop({ drain: true });
  release = true;
  await stopped;
  expect((await findTask(place.database, tasks[0]?.id ?? ""))?.state).toBe("blocked(awaiting_judge)");
  expect(work.begun).toHaveLength(1);
});

it("A5 a process of one role claims nothing of the others", async () => {
  await newLoop(place.database, [newTask("code"), newTask("test", { role: "tester" })]);
  const work = countedWork();
  start(work, { roles: ["tester"] });
  await until("the test is begun", () => work.begun.length === 1);
  const rest = countedWork();
  start(rest, { roles: ["worker"] }, other);
  await until("the code is begun", () => rest.begun.length === 1);
  expect(work.begun.map(({ role }) => role)).toEqual(["tester"]);
  expect(rest.begun.map(({ role }) => role)).toEqual(["worker"]);
});

function start(work: CountedWork, options: DispatcherOptions = {}, on = place): Dispatcher {
  const dispatcher = Dispatcher.start(on, { work: work.work, ...options });
  started.push(dispatcher);
  return dispatcher;
}

async function allDone(loop: string): Promise<boolean> {
  const { items } = await listTasks(place.database, { loop, limit: 100 });
  return items.every(({ state }) => state === "done");
}

/** A process of this machine that has claimed under its own name, and was killed. */
async function killedOwner(): Promise<string> {
  const child = spawn("sleep", ["60"], { stdio: "ignore" });
  const pid = child.pid ?? 0;
  const { hostname, bootId, pidNamespace } = thisMachine();
  const owner = [hostname, bootId, pidNamespace, pid, startTimeOf(pid), "killed"].join(":");
  child.kill("SIGKILL");
  await once(child, "exit");
  return owner;
}
