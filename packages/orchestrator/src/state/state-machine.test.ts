import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "./database.ts";
import { StateWorld } from "./state-world.ts";
import { temporaryInstance } from "./temporary-database.ts";
import { newTask } from "./temporary-loops.ts";

const instance = temporaryInstance();

/** A new database takes a second; on a machine that is busy with other tests, many. */
const startTimeoutMs = 60_000;

let databases: readonly [Database, Database];

beforeAll(async () => {
  const first = await instance.open();
  // What is killed here are transactions, not the server: it need not wait for the disk.
  await first.query("alter role current_user set synchronous_commit = off");
  databases = [await instance.open({ program: "one" }), await instance.open({ program: "other" })];
}, startTimeoutMs);

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
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("takeOver" as const), lease: which, owner }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("release" as const), lease: which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("heartbeat" as const), lease: which }) },
);

/** Five tasks that need earlier ones, some of which touch the same paths. */
const plan = fc
  .array(fc.record({ needs: fc.array(which, { maxLength: 2 }), area: fc.constantFrom("a", "b", "c", "") }), {
    minLength: 5,
    maxLength: 5,
  })
  .map((tasks) =>
    tasks.map(({ needs, area }, index) =>
      newTask(`t${index + 1}`, {
        needs: index === 0 ? [] : [...new Set(needs.map((need) => 1 + (need % index)))],
        allowedPaths: area === "" ? [] : [`${area}/**`],
      }),
    ),
  );

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
      await world.checkEvents();
    },
  );
  await fc.assert(property, { numRuns: 6, endOnFailure: true });
}, 120_000);
