import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { soak } from "../../../../tests/setup/soak.ts";
import { StateWorld } from "../fixture/state-world.ts";
import { temporaryDatabase } from "../fixture/temporary-database.ts";
import { newTask } from "../fixture/temporary-loops.ts";
import type { Database } from "./database.ts";

const instance = await temporaryDatabase();

let databases: readonly [Database, Database];

beforeAll(async () => {
  databases = [await instance.open({ program: "one" }), await instance.open({ program: "other" })];
});

afterAll(() => instance.remove());

const owner = fc.constantFrom(0 as const, 1 as const);
const which = fc.nat({ max: 30 });
const crash = fc.boolean();

const action = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("claim" as const), owner, crash }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("claimBoth" as const) }) },
  {
    weight: 9,
    arbitrary: fc.record({ kind: fc.constant("use" as const), lease: which, choice: which, crash }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("person" as const), task: which, choice: which, crash }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("loop" as const), choice: which, crash }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("settle" as const), crash }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("sweep" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("die" as const), owner }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("takeOver" as const), lease: which, owner }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("release" as const), lease: which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("heartbeat" as const), lease: which }) },
);

/** Five tasks that need earlier ones, some of which touch the same paths; those that one other needs may be tests. */
const plan = fc
  .array(
    fc.record({
      needs: fc.array(which, { maxLength: 2 }),
      area: fc.constantFrom("a", "b", "c", ""),
      tests: fc.boolean(),
    }),
    { minLength: 5, maxLength: 5 },
  )
  .map((tasks) => {
    const needs = tasks.map((task, index) =>
      index === 0 ? [] : [...new Set(task.needs.map((need) => 1 + (need % index)))],
    );
    return tasks.map(({ area, tests }, index) => {
      const needing = needs.filter((numbers) => numbers.includes(index + 1)).length;
      return newTask(`t${index + 1}`, {
        needs: needs[index] ?? [],
        allowedPaths: area === "" ? [] : [`${area}/**`],
        role: tests && needing === 1 ? "tester" : "worker",
      });
    });
  });

it("whatever happens in whatever order, no state is illegal, no task is lost, and every event is a change", async () => {
  const property = fc.asyncProperty(
    plan,
    fc.integer({ min: 1, max: 4 }),
    fc.array(action, { minLength: 20, maxLength: 40 }),
    async (tasks, running, actions) => {
      const world = await StateWorld.create(databases, tasks, running);
      for (const each of actions) {
        await world.act(each);
        await world.check();
      }
      await world.checkEvents();
      await world.finish();
      expect(new Set(world.states())).toEqual(new Set(["done"]));
      expect(world.isWhole()).toBe(true);
      await world.checkEvents();
    },
  );
  await fc.assert(property, { numRuns: soak ? 30 : 3, endOnFailure: true });
}, 600_000);

it("a loop that is cancelled at whatever moment has ended with all of its tasks, and nothing moves it any more", async () => {
  const actions = fc.array(action, { minLength: 10, maxLength: 20 });
  const property = fc.asyncProperty(plan, actions, actions, async (tasks, before, after) => {
    const world = await StateWorld.create(databases, tasks, 3);
    for (const each of before) await world.act(each);
    await world.act({ kind: "cancelLoop" });
    const states = world.states();
    for (const state of states) expect(["done", "failed", "cancelled"]).toContain(state);
    for (const each of after) {
      await world.act(each);
      await world.check();
    }
    expect(world.states()).toEqual(states);
    await world.act({ kind: "sweep" });
    await world.check();
    await world.checkEvents();
  });
  await fc.assert(property, { numRuns: soak ? 30 : 3, endOnFailure: true });
}, 600_000);

it("tests that a worker disputes are written again, and come to the branch together with the code", async () => {
  const tests = newTask("tests", { role: "tester" });
  const world = await StateWorld.create(databases, [tests, newTask("code", { needs: [1] })], 2);
  const claim = { kind: "claim", owner: 0, crash: false } as const;
  const first = { kind: "use", choice: 0, crash: false } as const;
  for (const lease of [0, 1, 2]) {
    await world.act(claim);
    await world.act({ ...first, lease });
  }
  expect(world.states()).toEqual(["done", "queued"]);
  await world.act(claim);
  const dispute = { kind: "use", lease: 3, choice: 4 } as const;
  await world.act({ ...dispute, crash: true });
  expect(world.states()).toEqual(["done", "running"]);
  await world.act({ ...dispute, crash: false });
  expect(world.states()).toEqual(["queued", "queued"]);
  // Once more with the same lease, which is over: nothing happens.
  await world.act({ ...dispute, crash: false });
  await world.check();
  expect(world.isWhole()).toBe(false);
  await world.finish();
  expect(world.states()).toEqual(["done", "done"]);
  expect(world.isWhole()).toBe(true);
  await world.checkEvents();
});
