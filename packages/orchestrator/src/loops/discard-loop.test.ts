import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { TemporaryJudgedLoop } from "../fixture/temporary-judged-loop.ts";
import { newTask } from "../fixture/temporary-loops.ts";
import { type TemporaryPlace, temporaryPlace } from "../fixture/temporary-place.ts";
import { mergeStage } from "../merging/merge-stage.ts";
import { change } from "../state/change.ts";
import { lockLoop } from "../state/locks.ts";
import { discardLoop } from "./discard-loop.ts";
import { endLoopIfOver } from "./end-loop.ts";
import { mergeLoop } from "./merge-loop.ts";
import { retryLoop } from "./retry-loop.ts";
import { retryTask } from "./retry-task.ts";

let place: TemporaryPlace;
let loop: TemporaryJudgedLoop;

beforeAll(async () => {
  place = await temporaryPlace();
});

/** One task is on the branch, and the other has failed. */
beforeEach(async () => {
  await place.database.query("truncate loops, repositories cascade");
  loop = await TemporaryJudgedLoop.begin(place, {
    files: { "a/x": "1\n" },
    tasks: [newTask("a"), newTask("b")],
  });
  await loop.start(1);
  await loop.submit(1, { "a/x": "2\n" });
  await loop.pass(1);
  await mergeStage(place, await loop.claim(1), new AbortController().signal);
  await place.database.query("update tasks set status = 'failed' where number = 2");
  await place.database.query("update stages set state = 'ended'");
  await endLoopIfOver(place.database, loop.id);
});

afterEach(() => loop.remove());
afterAll(() => place.remove());

it("a loop that was discarded is not gone on with, and says what to do instead", async () => {
  expect(await loop.row()).toMatchObject({ state: "failed" });
  expect(await discardLoop(place, loop.id)).toMatchObject({ branch: null, state: "failed" });
  const refused = { code: "not_allowed_now", remedy: "Its branch was discarded: start a new loop." };
  await expect(retryTask(place.database, (await loop.task(2)).id)).rejects.toMatchObject(refused);
  await expect(retryLoop(place, loop.id)).rejects.toMatchObject(refused);
  await expect(mergeLoop(place, loop.id)).rejects.toMatchObject(refused);
  expect((await loop.task(2)).state).toBe("failed");
  expect(await loop.row()).toMatchObject({ state: "failed", branch: null });
});

it("a loop without a plan that was discarded is not planned again", async () => {
  await place.database.query("truncate tasks cascade");
  await discardLoop(place, loop.id);
  await expect(retryLoop(place, loop.id)).rejects.toMatchObject({ code: "not_allowed_now" });
  expect((await loop.row()).state).toBe("failed");
});

it("a loop that is opened again at the same moment keeps its branch", async () => {
  const discarding = await place.database.transaction(async (on) => {
    await lockLoop(on, loop.id);
    const asked = discardLoop(place, loop.id).catch((error: unknown) => error);
    await change(on, { what: "loop", id: loop.id, by: "reopen", from: "failed" });
    return { asked };
  });
  expect(await discarding.asked).toMatchObject({ code: "not_allowed_now" });
  expect(await loop.row()).toMatchObject({ state: "running", branch: `tiger/${loop.id}` });
  expect(await loop.shown()).toHaveLength(1);
});
