import { loopSettings } from "@opentiger/schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  beginRun,
  endRun,
  planned,
  plannedLoop,
  type TemporaryLoopPlace,
  temporaryLoopPlace,
} from "../fixture/temporary-loop-place.ts";
import { claimed, claimOf } from "../fixture/temporary-loops.ts";
import { change } from "../state/change.ts";
import { claimStage } from "../state/claims.ts";
import { heartbeat } from "../state/lease.ts";
import { findLoop } from "../state/loops.ts";
import { strayRuns } from "../state/runs.ts";
import { openStage } from "../state/stages.ts";
import { approveLoop } from "./approve-loop.ts";
import { cancelLoop } from "./cancel-loop.ts";
import { pauseLoop } from "./pause-loop.ts";
import { resumeLoop } from "./resume-loop.ts";
import { retryLoop } from "./retry-loop.ts";
import { startLoop } from "./start-loop.ts";
import { tasksOf } from "./tasks-of.ts";

let place: TemporaryLoopPlace;

beforeAll(async () => {
  place = await temporaryLoopPlace();
});

afterAll(() => place.remove());

const states = async (loop: string): Promise<string[]> =>
  (await tasksOf(place.database, loop)).map(({ state }) => state);

it("a plan that was approved runs, all of it, and can be approved once", async () => {
  const two = [planned("a"), planned("b", { needs: ["a"] })];
  const { loop } = await plannedLoop(place, two, { to: "awaiting_approval" });
  expect((await claimStage(place.database, claimOf("me"))).claimed).toBe(false);
  expect(await approveLoop(place.database, loop.id)).toMatchObject({ state: "running" });
  expect(await states(loop.id)).toEqual(["queued", "queued"]);
  await expect(approveLoop(place.database, loop.id)).rejects.toMatchObject({ code: "not_allowed_now" });
  await cancelLoop(place.database, loop.id);
});

it("a loop that is not there is told with what shows those that are", async () => {
  await expect(pauseLoop(place.database, "nobody00")).rejects.toMatchObject({
    code: "not_found",
    remedy: expect.stringContaining("loop ls"),
  });
});

describe("a loop that is paused", () => {
  it("begins nothing more, lets what runs come to its end, and goes on when it is resumed", async () => {
    const { loop } = await plannedLoop(place, [planned("a"), planned("b")]);
    const begun = await beginRun(place);
    expect(await pauseLoop(place.database, loop.id)).toMatchObject({ state: "paused(asked)" });
    expect(await pauseLoop(place.database, loop.id)).toMatchObject({ state: "paused(asked)" });
    expect((await claimStage(place.database, claimOf("me"))).claimed).toBe(false);
    expect(await heartbeat(place.database, begun.lease, 1_000)).toBeDefined();
    const submit = { what: "task", id: begun.lease.task ?? "", by: "submit", from: "running" } as const;
    await change(place.database, { ...submit, fence: begun.lease.fence });
    expect((await claimStage(place.database, claimOf("me"))).claimed).toBe(false);
    expect(await resumeLoop(place, loop.id)).toMatchObject({ state: "running" });
    expect(await claimed(claimStage(place.database, claimOf("me")))).toMatchObject({ kind: "judge" });
    await expect(resumeLoop(place, loop.id)).rejects.toMatchObject({ code: "not_allowed_now" });
    await cancelLoop(place.database, loop.id);
  });
});

describe("a loop that is cancelled", () => {
  it("has nothing that could be claimed, and takes every lease away; its runs are strays", async () => {
    const tasks = [planned("a"), planned("b"), planned("c", { needs: ["a"] })];
    const { loop } = await plannedLoop(place, tasks);
    const begun = await beginRun(place);
    const done = await beginRun(place);
    await endRun(place, done, "done");
    const cancelled = await cancelLoop(place.database, loop.id);
    expect(cancelled).toMatchObject({ state: "cancelled", endedAt: expect.any(Date) });
    expect(cancelled.summary).toMatchObject({ done: 1, cancelled: 2, failed: 0, left: 0, commits: 1 });
    expect(await states(loop.id)).toEqual(["cancelled", "done", "cancelled"]);
    expect(await heartbeat(place.database, begun.lease, 1_000)).toBeUndefined();
    expect((await strayRuns(place.database)).map(({ id }) => id)).toContain(begun.run);
    expect((await claimStage(place.database, claimOf("me"))).claimed).toBe(false);
    expect(await cancelLoop(place.database, loop.id)).toMatchObject({ state: "cancelled" });
    await change(place.database, { what: "run", id: begun.run, by: "lose", from: "running" });
  });

  it("while it is planned has no plan any more to be made", async () => {
    const { loop } = await plannedLoop(place, [planned("a")], { to: "awaiting_approval" });
    await cancelLoop(place.database, loop.id);
    await expect(approveLoop(place.database, loop.id)).rejects.toMatchObject({ code: "not_allowed_now" });
    await expect(retryLoop(place, loop.id)).rejects.toMatchObject({ code: "not_allowed_now" });
  });
});

describe("a loop that is retried", () => {
  it("queues what failed and what waits for it, and leaves the rest", async () => {
    const tasks = [planned("a"), planned("b", { needs: ["a"] }), planned("c")];
    const { loop } = await plannedLoop(place, tasks);
    await endRun(place, await beginRun(place), "failed");
    await endRun(place, await beginRun(place), "done");
    const fail = { what: "loop", id: loop.id, by: "fail", from: "running" } as const;
    await change(place.database, { ...fail, set: { detail: "no more" } });
    const again = await retryLoop(place, loop.id);
    expect(again).toMatchObject({ state: "running", detail: null, endedAt: null });
    expect(await states(loop.id)).toEqual(["queued", "queued", "done"]);
    const [first] = await tasksOf(place.database, loop.id);
    expect(await openStage(place.database, first?.id ?? "")).toMatchObject({ kind: "run", state: "ready" });
    await expect(retryLoop(place, loop.id)).rejects.toMatchObject({
      remedy: `No task of it has failed: opentiger loop show ${loop.id}`,
    });
    await cancelLoop(place.database, loop.id);
  });

  it("is planned again where it came to no plan", async () => {
    const { id } = (await plannedLoop(place, [planned("a")])).loop;
    await cancelLoop(place.database, id);
    const failed = await failedPlanning();
    expect(await retryLoop(place, failed)).toMatchObject({ state: "planning", detail: null });
    const lease = await claimed(claimStage(place.database, claimOf("me")));
    expect(lease).toMatchObject({ kind: "plan", loop: failed });
    await cancelLoop(place.database, failed);
  });
});

async function failedPlanning(): Promise<string> {
  const loop = await startLoop(place, {
    repository: { path: place.instance.home },
    requirement: "More.",
    source: { kind: "prose" },
    settings: loopSettings.parse({}),
  });
  const set = { detail: "There is no plan." };
  await change(place.database, { what: "loop", id: loop.id, by: "fail", from: "planning", set });
  expect(await findLoop(place.database, loop.id)).toMatchObject({ state: "failed" });
  return loop.id;
}
