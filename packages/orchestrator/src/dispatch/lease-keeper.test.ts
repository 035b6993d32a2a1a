import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { until } from "../../../../tests/setup/until.ts";
import { temporaryDatabase } from "../fixture/temporary-database.ts";
import { claimed, claimOf, newLoop, newTask } from "../fixture/temporary-loops.ts";
import { LeaseLost, leftToOthers } from "../stage/lease-lost.ts";
import { change } from "../state/change.ts";
import { claimStage } from "../state/claims.ts";
import type { Database } from "../state/database.ts";
import type { Lease } from "../state/lease.ts";
import { openStage } from "../state/stages.ts";
import { LeaseKeeper } from "./lease-keeper.ts";

const instance = await temporaryDatabase();

/** As short as heartbeats of it are surely made in time on a busy machine. */
const leaseMs = 600;

let database: Database;
let lease: Lease;

beforeAll(async () => {
  database = await instance.open();
});

beforeEach(async () => {
  await database.query("truncate loops, repositories cascade");
  await newLoop(database, [newTask("a")]);
  lease = await claimed(claimStage(database, { ...claimOf("me"), leaseMs }));
});

afterAll(() => instance.remove());

const log = () => {};

it("a stage stays its holder's for as long as he works, however short the lease", async () => {
  const keeper = new LeaseKeeper({ database, log }, lease, leaseMs);
  try {
    const later = new Date(lease.until.getTime() + 2 * leaseMs);
    const held = await until("two leases later", async () => {
      const stage = await openStage(database, lease.task ?? "");
      return stage?.leaseUntil && stage.leaseUntil > later ? stage : undefined;
    });
    expect(held).toMatchObject({ state: "claimed", owner: "me", fence: lease.fence });
    expect(keeper.signal.aborted).toBe(false);
  } finally {
    keeper.stop();
  }
});

it("a task that a person cancels stops whoever works on it", async () => {
  const keeper = new LeaseKeeper({ database, log }, lease, leaseMs);
  await change(database, { what: "task", id: lease.task ?? "", by: "cancel", from: "running" });
  await until("the heartbeat is refused", () => keeper.signal.aborted);
  expect(keeper.signal.reason).toBeInstanceOf(LeaseLost);
  expect(leftToOthers(keeper.signal)).toBe(true);
});

it("a holder who is not heard for as long as the lease stops, though nobody told him", async () => {
  const own = await instance.open();
  const keeper = new LeaseKeeper({ database: own, log }, lease, leaseMs);
  await own.close();
  await until("the lease is over", () => keeper.signal.aborted);
  expect(keeper.signal.reason).toBeInstanceOf(LeaseLost);
});
