import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { claimed, claimOf, newLoop, newTask } from "../fixture/temporary-loops.ts";
import { type TemporaryPlace, temporaryPlace } from "../fixture/temporary-place.ts";
import { sendMessage } from "../loops/send-message.ts";
import { LeaseLost } from "../stage/lease-lost.ts";
import { claimStage } from "../state/claims.ts";
import { releaseLease } from "../state/lease.ts";
import { startRun } from "../state/runs.ts";
import { listMessages, noteGiven, takeMessages, waitingMessages } from "../state/task-messages.ts";
import { findTask } from "../state/tasks.ts";
import { afterTurn, firstMessages, lastTurn, moreMessages, type TurnWork } from "./turns.ts";

let place: TemporaryPlace;
let work: TurnWork;

beforeAll(async () => {
  place = await temporaryPlace();
});
afterAll(() => place.remove());

beforeEach(async () => {
  await newLoop(place.database, [newTask("one")]);
  work = await nextRun();
});

async function nextRun(): Promise<TurnWork> {
  const lease = await claimed(claimStage(place.database, claimOf("test")));
  const run = await startRun(place.database, lease, { agent: "claude_code", role: "worker" });
  const task = await findTask(place.database, lease.task ?? "");
  if (!run || !task) throw new Error("nothing was begun");
  return { place, lease, run, task };
}

const say = (text: string) => sendMessage(place, work.task.id, text);
const texts = (messages: readonly { text: string }[]) => messages.map(({ text }) => text);
const give = (turn: number) => noteGiven(place.database, work.lease, { run: work.run.id, turn });

describe("the turns of a run", () => {
  it("each begin with what was said since the one before, and with nothing twice", async () => {
    await say("before it began");
    expect(texts(await firstMessages(work))).toEqual(["before it began"]);
    await give(0);
    await say("one");
    await say("two");
    // Whoever takes the run over finds the same: the agent of the first turn has not heard these.
    expect(texts(await firstMessages(work))).toEqual(["before it began"]);
    expect(texts(await moreMessages(work, 1))).toEqual(["one", "two"]);
    await give(1);
    await say("three");
    expect(texts(await moreMessages(work, 1))).toEqual(["one", "two"]);
    expect(await lastTurn(work)).toBe(1);
    expect(texts(await moreMessages(work, 2))).toEqual(["three"]);
    await give(2);
    expect(await moreMessages(work, 3)).toEqual([]);
    expect(await lastTurn(work)).toBe(2);
    expect(await waitingMessages(place.database, work.task.id)).toBe(0);
  });

  it("lose nothing when a process dies between taking a message and writing that down", async () => {
    await firstMessages(work);
    await say("one");
    const { task, run, lease } = work;
    await takeMessages(place.database, lease, { task: task.id, run: run.id, turn: 1 });
    expect(await waitingMessages(place.database, task.id), "its work is not handed in without").toBe(1);
    await say("two");
    expect(texts(await moreMessages(work, 1))).toEqual(["one", "two"]);
  });

  it("leave what no agent heard to the next run", async () => {
    await firstMessages(work);
    await say("one");
    await moreMessages(work, 1);
    const old = work;
    await releaseLease(place.database, work.lease);
    await expect(moreMessages(old, 2)).rejects.toBeInstanceOf(LeaseLost);
    work = await nextRun();
    expect(texts(await firstMessages(work))).toEqual(["one"]);
    await give(0);
    await give(0);
    const { items } = await listMessages(place.database, { task: work.task.id });
    expect(items).toMatchObject([{ run: work.run.id, turn: 0, givenAt: expect.any(Date) }]);
  });

  it("find out for themselves what was found out behind an earlier one", async () => {
    await firstMessages(work);
    await say("one");
    await moreMessages(work, 1);
    const folders = [0, 1].map((turn) => afterTurn(work, turn).journal.folder);
    expect(new Set(folders).size).toBe(2);
  });
});
