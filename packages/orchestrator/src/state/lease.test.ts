import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { temporaryDatabase } from "../fixture/temporary-database.ts";
import { claimed, claimOf, newLoop, newTask, submit } from "../fixture/temporary-loops.ts";
import { advanceBranch } from "./branch.ts";
import { change } from "./change.ts";
import { claimStage } from "./claims.ts";
import type { Database } from "./database.ts";
import { heartbeat, releaseLease, takeOver } from "./lease.ts";
import { findLoop } from "./loops.ts";
import { noteRun, startRun } from "./runs.ts";
import { expiredStages, openStage } from "./stages.ts";

const instance = await temporaryDatabase();

let database: Database;
let other: Database;

beforeAll(async () => {
  database = await instance.open({ program: "one" });
  other = await instance.open({ program: "other" });
});

beforeEach(async () => {
  await database.query("truncate loops, repositories cascade");
});

afterAll(() => instance.remove());

it("a lease is renewed by its holder, and by nobody who was the holder once", async () => {
  await newLoop(database, [newTask("a")]);
  const lease = await claimed(claimStage(database, claimOf("zombie")));
  const renewed = await heartbeat(database, lease, 120_000);
  expect(renewed?.until.getTime()).toBeGreaterThan(lease.until.getTime());
  expect(await takeOver(other, lease, { owner: "heir", leaseMs: 60_000 })).toBeUndefined();

  await database.query("update stages set lease_until = now() - interval '1 second' where id = $1", [
    lease.stage,
  ]);
  const [expired] = await expiredStages(other, 10);
  expect(expired).toMatchObject({ id: lease.stage, owner: "zombie" });
  const heirs = await Promise.all([
    takeOver(other, lease, { owner: "heir", leaseMs: 60_000 }),
    takeOver(database, lease, { owner: "late heir", leaseMs: 60_000 }),
  ]);
  expect(heirs.filter(Boolean)).toHaveLength(1);
  expect(await heartbeat(database, lease, 120_000)).toBeUndefined();
});

it("a lease that is over lets its holder change nothing, whatever he tries", async () => {
  const { loop, tasks } = await newLoop(database, [newTask("a")]);
  const zombie = await claimed(claimStage(database, claimOf("zombie")));
  const run = await startRun(database, zombie, { agent: "codex", role: "worker" });
  const heir = await takeOver(other, zombie, { owner: "heir", leaseMs: 60_000, deadOwner: "zombie" });
  const before = await everything();

  const id = tasks[0]?.id ?? "";
  const held = { id, from: "running", fence: zombie.fence } as const;
  const missed = { changed: false, found: { state: "running", fence: heir?.fence } };
  expect(await change(database, { what: "task", by: "submit", ...held })).toEqual(missed);
  expect(await change(database, { what: "task", by: "again", ...held })).toEqual(missed);
  expect(await change(database, { ...held, what: "run", by: "fail", id: run?.id ?? "" })).toEqual(missed);
  expect(await startRun(database, zombie, { agent: "codex", role: "worker" })).toBeUndefined();
  expect(await noteRun(database, zombie, run?.id ?? "", { session: "mine" })).toBe(false);
  expect(await releaseLease(database, zombie)).toBe(false);
  expect(await heartbeat(database, zombie, 1)).toBeUndefined();
  expect(await everything()).toEqual(before);

  const held2 = { id, from: "running", fence: heir?.fence ?? 0 } as const;
  expect(await change(other, { what: "task", by: "submit", ...held2 })).toMatchObject({ changed: true });
  const merging = { loop: loop.id, task: id, fence: zombie.fence, fromOid: loop.baseOid, toOid: "f" };
  expect(await advanceBranch(database, merging)).toMatchObject({ advanced: false });
  expect((await findLoop(database, loop.id))?.branchOid).toBe(loop.baseOid);
});

it("how often a stage was taken over is counted from when it was claimed", async () => {
  await newLoop(database, [newTask("a")]);
  await submit(database, await claimed(claimStage(database, claimOf("me"))));
  const first = await claimed(claimStage(database, claimOf("dead 0")));
  expect(first).toMatchObject({ kind: "judge", takenOver: 0 });
  let last = first;
  for (const times of [1, 2]) {
    const taker = { owner: `dead ${times}`, leaseMs: 60_000, deadOwner: last.owner };
    last = (await takeOver(other, last, taker)) ?? last;
    expect(last.takenOver).toBe(times);
  }
  expect(await heartbeat(other, last, 60_000)).toMatchObject({ takenOver: 2 });
  await releaseLease(other, last);
  const again = await claimed(claimStage(database, claimOf("me")));
  expect(again).toMatchObject({ stage: first.stage, takenOver: 0 });
});

it("a lease that is given back can be claimed again, and not used any more", async () => {
  await newLoop(database, [newTask("a")]);
  const run = await claimed(claimStage(database, claimOf("me")));
  expect(await releaseLease(database, run)).toBe(true);
  const again = await claimed(claimStage(database, claimOf("me")));
  await submit(database, again);
  const judge = await claimed(claimStage(database, claimOf("me")));
  expect(await releaseLease(database, judge)).toBe(true);
  const late = { what: "task", id: judge.task ?? "", by: "pass", from: "blocked(awaiting_judge)" } as const;
  expect(await change(database, { ...late, fence: judge.fence })).toMatchObject({ changed: false });
  const next = await claimed(claimStage(database, claimOf("me")));
  expect(next).toMatchObject({ kind: "judge", stage: judge.stage });
  expect(next.fence).toBeGreaterThan(judge.fence);
});

it("a lease ends with the task when a person cancels it", async () => {
  const { tasks } = await newLoop(database, [newTask("a")]);
  const lease = await claimed(claimStage(database, claimOf("me")));
  await change(database, { what: "task", id: tasks[0]?.id ?? "", by: "cancel", from: "running" });
  expect(await heartbeat(database, lease, 60_000)).toBeUndefined();
  expect(await openStage(database, tasks[0]?.id ?? "")).toBeUndefined();
});

async function everything(): Promise<unknown> {
  const tables = ["loops", "tasks", "stages", "runs", "events"];
  return Promise.all(
    tables.map(async (table) => (await database.query(`select * from ${table} order by id`)).rows),
  );
}
