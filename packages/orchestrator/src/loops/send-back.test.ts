import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { TemporaryJudgedLoop } from "../fixture/temporary-judged-loop.ts";
import { newTask } from "../fixture/temporary-loops.ts";
import { type TemporaryPlace, temporaryPlace } from "../fixture/temporary-place.ts";
import { mergeStage } from "../merging/merge-stage.ts";
import { change } from "../state/change.ts";
import { heartbeat } from "../state/lease.ts";
import { openStage } from "../state/stages.ts";
import { listMessages } from "../state/task-messages.ts";
import { endLoopIfOver } from "./end-loop.ts";
import { sendBack } from "./send-back.ts";
import { sendMessage } from "./send-message.ts";

let place: TemporaryPlace;
let loop: TemporaryJudgedLoop;
let candidate: string;

beforeAll(async () => {
  place = await temporaryPlace();
  place.env["SOME_API_KEY"] = "sk-not-for-anybody-else";
});
afterAll(() => place.remove());

/** The first of two tasks waits for its judge with a change of one line among five; the second needs it. */
beforeEach(async () => {
  const tasks = [newTask("one", { allowedPaths: ["*.txt"] }), newTask("two", { needs: [1] })];
  loop = await TemporaryJudgedLoop.begin(place, {
    files: { "list.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n" },
    tasks,
  });
  candidate = await loop.submit(1, { "list.txt": "1\nnew\n3\n4\n5\n6\n7\n8\n9\n" });
});

afterEach(() => loop.remove());

const id = async (number = 1): Promise<string> => (await loop.task(number)).id;
const comment = { path: "list.txt", line: 2, text: "Say why." };
const point = { by: "person", file: "list.txt", line: 2, text: "Say why." };

describe("work that waits for its judge, sent back", () => {
  it("goes to its agent again with the points, in the same conversation and on the same work", async () => {
    const judging = await loop.claim(1);
    const sent = await sendBack(place, await id(), { message: "Too long.", comments: [comment] });
    expect(sent).toMatchObject({ became: "rework", task: { state: "blocked(needs_rework)", tries: {} } });
    expect((await loop.task()).rework).toEqual({
      failure: "person",
      points: [{ by: "person", file: null, line: null, text: "Too long." }, point],
      session: "session-of-1",
      agent: "claude_code",
      from: candidate,
      sandbox: null,
    });
    expect(await openStage(place.database, await id())).toMatchObject({ kind: "run", state: "ready" });
    expect(await heartbeat(place.database, judging, 1_000), "the judge stops").toBeUndefined();
    const { items } = await listMessages(place.database, { task: await id() });
    expect(items.map(({ text, givenAt }) => [text, givenAt === null])).toEqual([
      ["Too long.", false],
      ["Say why.", false],
    ]);
  });

  it("again adds to what was said before", async () => {
    await sendBack(place, await id(), { comments: [comment] });
    await sendBack(place, await id(), { message: "And shorter." });
    expect((await loop.task()).rework?.points.map(({ text }) => text)).toEqual(["Say why.", "And shorter."]);
  });

  it("is refused as a whole where a comment is on no line of its diff, and nothing is changed", async () => {
    const before = await loop.task();
    for (const wrong of [
      { ...comment, line: 9 },
      { ...comment, path: "other.txt" },
    ]) {
      const sending = sendBack(place, await id(), { message: "Well?", comments: [comment, wrong] });
      await expect(sending).rejects.toMatchObject({
        code: "usage",
        message: expect.stringContaining(`${wrong.path}:${wrong.line}`),
      });
    }
    await expect(sendBack(place, await id(), {})).rejects.toMatchObject({ code: "usage" });
    expect(await loop.task()).toEqual(before);
    expect((await listMessages(place.database, { task: await id() })).items).toEqual([]);
  });

  it("keeps no secret that is known here", async () => {
    await sendBack(place, await id(), { message: "Use sk-not-for-anybody-else for it." });
    const said = JSON.stringify((await loop.task()).rework);
    expect(said).not.toContain("sk-not-for-anybody-else");
  });
});

describe("work in another state, sent back", () => {
  it("that failed is gone on with, with all its tries, and its loop is open again", async () => {
    const set = { tries: { judge: 3 }, detail: "The judge found that it is not good." };
    await change(place.database, {
      what: "task",
      id: await id(),
      by: "give_up",
      from: "blocked(awaiting_judge)",
      set,
    });
    expect(await endLoopIfOver(place.database, loop.id)).toMatchObject({ state: "failed" });
    await sendBack(place, await id(), { comments: [comment] });
    expect(await loop.task()).toMatchObject({ state: "blocked(needs_rework)", tries: {}, detail: null });
    expect(await loop.row()).toMatchObject({ state: "running", endedAt: null });
    expect(await loop.task(2)).toMatchObject({ state: "queued" });
  });

  it("that is being worked on is told to its agent, which loses nothing", async () => {
    await sendBack(place, await id(), { message: "First." });
    const lease = await loop.claim(1);
    const sent = await sendBack(place, await id(), { comments: [comment] });
    expect(sent).toMatchObject({ became: "message", task: { state: "running" } });
    expect(await heartbeat(place.database, lease, 1_000)).toBeDefined();
    const { items } = await listMessages(place.database, { task: await id() });
    expect(items.at(-1)).toMatchObject({ file: "list.txt", line: 2, givenAt: null, run: null });
  });

  it("that is on the branch becomes a new task that needs it, and opens a loop that has ended", async () => {
    await loop.pass(1);
    await mergeStage(place, await loop.claim(1), new AbortController().signal);
    expect(await loop.task()).toMatchObject({ state: "done" });
    const second = await id(2);
    await change(place.database, { what: "task", id: second, by: "cancel", from: "queued" });
    expect(await endLoopIfOver(place.database, loop.id)).toMatchObject({ state: "done" });
    const sent = await sendBack(place, await id(), { comments: [comment] });
    expect(sent).toMatchObject({
      became: "task",
      task: {
        number: 3,
        title: "Rework of task 1: one",
        state: "queued",
        needs: [1],
        allowedPaths: ["*.txt"],
        mayChange: ["list.txt"],
        instructions: expect.stringContaining("- list.txt:2: Say why."),
      },
    });
    expect(await loop.row()).toMatchObject({ state: "running" });
    expect(await loop.task()).toMatchObject({ state: "done" });
  });

  it("is refused where nothing was made yet, with what to do instead", async () => {
    const sending = sendBack(place, await id(2), { message: "Well?" });
    await expect(sending).rejects.toMatchObject({
      code: "not_allowed_now",
      remedy: expect.stringMatching(/instructions/),
    });
    const commenting = sendBack(place, await id(2), { comments: [comment] });
    await expect(commenting).rejects.toMatchObject({
      code: "not_allowed_now",
      remedy: expect.stringMatching(/no diff/),
    });
  });
});

describe("a message", () => {
  it("to a task that nobody works on is refused, with what to do instead", async () => {
    const refused = async (number: number, remedy: RegExp): Promise<void> => {
      const sending = sendMessage(place, await id(number), "Well?");
      await expect(sending).rejects.toMatchObject({
        code: "not_allowed_now",
        remedy: expect.stringMatching(remedy),
      });
    };
    await refused(1, /task send-back/);
    await refused(2, /instructions/);
    await change(place.database, { what: "task", id: await id(2), by: "cancel", from: "queued" });
    await refused(2, /task retry/);
    await expect(sendMessage(place, await id(1), " ")).rejects.toMatchObject({ code: "usage" });
  });
});
