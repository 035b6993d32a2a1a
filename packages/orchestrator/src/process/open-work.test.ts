import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type TemporaryDatabase, temporaryDatabase } from "../fixture/temporary-database.ts";
import { claimed, claimOf, newLoop, newTask, startedRun, submit } from "../fixture/temporary-loops.ts";
import { change } from "../state/change.ts";
import { claimStage } from "../state/claims.ts";
import type { Database } from "../state/database.ts";
import { hasOpenWork } from "./open-work.ts";

let instance: TemporaryDatabase;
let database: Database;

beforeAll(async () => {
  instance = await temporaryDatabase();
  database = await instance.open();
});

beforeEach(() => database.query("truncate loops, repositories cascade"));

afterAll(() => instance.remove());

it("a loop that waits for a person is no work, and an agent that still runs for it is", async () => {
  const { loop } = await newLoop(database, [newTask("a"), newTask("b")]);
  expect(await hasOpenWork(database)).toBe(true);
  const { lease, run } = await startedRun(database);
  await change(database, { what: "loop", id: loop.id, by: "pause", from: "running", to: "paused(asked)" });
  expect(await hasOpenWork(database), "it is worked on").toBe(true);
  const { fence } = lease;
  await change(database, { what: "run", id: run.id, by: "succeed", from: "running", fence });
  await submit(database, lease);
  expect(await hasOpenWork(database)).toBe(false);
});

it("what has passed is merged also in a loop without a budget, and is work until then", async () => {
  const { loop } = await newLoop(database, [newTask("a"), newTask("b")]);
  const lease = await claimed(claimStage(database, claimOf("me")));
  await submit(database, lease);
  await change(database, { what: "loop", id: loop.id, by: "pause", from: "running", to: "paused(budget)" });
  expect(await hasOpenWork(database), "judging costs").toBe(false);
  const id = lease.task ?? "";
  await change(database, { what: "task", id, by: "pass", from: "blocked(awaiting_judge)" });
  expect(await hasOpenWork(database)).toBe(true);
  await change(database, { what: "task", id, by: "merge", from: "blocked(awaiting_judge)" });
  expect(await hasOpenWork(database)).toBe(false);
});
