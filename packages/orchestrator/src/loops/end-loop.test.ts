import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import {
  beginRun,
  endRun,
  planned,
  plannedLoop,
  type TemporaryLoopPlace,
  temporaryLoopPlace,
} from "../fixture/temporary-loop-place.ts";
import { listEvents } from "../state/events.ts";
import { addJudgement } from "../state/judgements.ts";
import { noteRun } from "../state/runs.ts";
import { cancelLoop } from "./cancel-loop.ts";
import { cancelTask } from "./cancel-task.ts";
import { endLoopIfOver } from "./end-loop.ts";
import { pauseLoop } from "./pause-loop.ts";

let place: TemporaryLoopPlace;
let loop = "";

beforeAll(async () => {
  place = await temporaryLoopPlace();
});

afterAll(() => place.remove());

afterEach(async () => {
  await cancelLoop(place.database, loop).catch(() => {});
});

async function started(...tasks: Parameters<typeof plannedLoop>[1]): Promise<string[]> {
  const made = await plannedLoop(place, tasks);
  loop = made.loop.id;
  return made.tasks.map(({ id }) => id);
}

it("a loop is not over while a task can move, nor while it is paused", async () => {
  await started(planned("a"), planned("b"));
  await endRun(place, await beginRun(place), "done");
  expect(await endLoopIfOver(place.database, loop)).toBeUndefined();
  const last = await beginRun(place);
  expect(await endLoopIfOver(place.database, loop)).toBeUndefined();
  await pauseLoop(place.database, loop);
  await endRun(place, last, "done");
  expect(await endLoopIfOver(place.database, loop)).toBeUndefined();
});

it("one whose tasks are done is done, with what it came to; and ends once", async () => {
  const [first = ""] = await started(planned("a"), planned("b"));
  const tokens = { input: 1, output: 20, cacheRead: 300, cacheWrite: 4_000 };
  for (let count = 0; count < 2; count++) {
    const run = await beginRun(place);
    await noteRun(place.database, run.lease, run.run, { tokens, usd: 0.25 });
    await endRun(place, run, "done");
  }
  const evidence = { rounds: [], redBefore: [], notes: [], opinions: [], trouble: null, held: false };
  const judged = { run: null, candidateOid: "c", baseOid: "b", evidence, points: [] };
  await addJudgement(place.database, { ...judged, task: first, judgement: "fail" });
  await addJudgement(place.database, { ...judged, task: first, judgement: "pass" });
  const ends = await Promise.all([1, 2].map(() => endLoopIfOver(place.database, loop)));
  const [ended, none] = ends[0] ? ends : ends.reverse();
  expect(none).toBeUndefined();
  expect(ended).toMatchObject({ state: "done", detail: null, endedAt: expect.any(Date) });
  expect(ended?.summary).toEqual({
    done: 2,
    failed: 0,
    cancelled: 0,
    left: 0,
    commits: 2,
    branch: `tiger/${loop}`,
    tokens: { input: 2, output: 40, cacheRead: 600, cacheWrite: 8_000 },
    usd: 0.5,
    tasks: [
      { number: 1, title: "Do a", state: "done", detail: null, runs: 1, judgement: "pass" },
      { number: 2, title: "Do b", state: "done", detail: null, runs: 1, judgement: null },
    ],
  });
  const { items } = await listEvents(place.database, { loop, limit: 500 });
  expect(items.filter(({ type }) => type === "loop.finish")).toHaveLength(1);
});

it("one that can do no more has failed, and says of whom and what was not begun", async () => {
  await started(planned("a"), planned("b", { needs: ["a"] }), planned("c", { needs: ["b"] }));
  await endRun(place, await beginRun(place), "failed");
  const ended = await endLoopIfOver(place.database, loop);
  expect(ended).toMatchObject({
    state: "failed",
    detail:
      "Task 1 (Do a) failed: It did not work. Not begun, since they need a task that has not been done: 2, 3.",
    summary: { failed: 1, left: 2, done: 0 },
  });
  expect(ended?.summary?.tasks[2]).toMatchObject({
    state: "blocked(dependency_failed)",
    detail: "It needs task 1 (Do a), which failed.",
  });
});

it("one of which some tasks were cancelled is done with the others, and with none has failed", async () => {
  const [first = "", second = ""] = await started(planned("a"), planned("b"));
  await cancelTask(place.database, second);
  await endRun(place, await beginRun(place), "done");
  expect(await endLoopIfOver(place.database, loop)).toMatchObject({
    state: "done",
    summary: { cancelled: 1 },
  });
  expect(first).not.toBe("");
  const [only = ""] = await started(planned("a"));
  await cancelTask(place.database, only);
  expect(await endLoopIfOver(place.database, loop)).toMatchObject({
    state: "failed",
    detail: "All its tasks were cancelled.",
  });
});

it("tests whose code was cancelled are not on the branch, and the loop says so", async () => {
  const [tests = "", code = ""] = await started(
    planned("a", { role: "tester" }),
    planned("b", { needs: ["a"] }),
  );
  await cancelTask(place.database, code);
  await endRun(place, await beginRun(place), "done");
  await place.database.query("update tasks set merged_oid = null where id = $1", [tests]);
  expect(await endLoopIfOver(place.database, loop)).toMatchObject({
    state: "done",
    detail: "Not on the branch, since the code for them was cancelled: the tests of task 1 (Do a).",
    summary: { commits: 0, done: 1, cancelled: 1 },
  });
});
