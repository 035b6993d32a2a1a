import type { Plan } from "@opentiger/schema";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  planned,
  plannedLoop,
  type TemporaryLoopPlace,
  temporaryLoopPlace,
} from "../fixture/temporary-loop-place.ts";
import { claimed, claimOf, newTask } from "../fixture/temporary-loops.ts";
import { whyItWaits } from "../planning/approval.ts";
import { claimStage } from "../state/claims.ts";
import { appendEvent } from "../state/events.ts";
import { addTask } from "./add-task.ts";
import { approveLoop } from "./approve-loop.ts";
import { cancelLoop } from "./cancel-loop.ts";
import { cancelTask } from "./cancel-task.ts";
import { editPlan } from "./edit-plan.ts";
import { editTask } from "./edit-task.ts";
import { existingLoop } from "./existing.ts";
import { retryTask } from "./retry-task.ts";
import { tasksOf } from "./tasks-of.ts";

let place: TemporaryLoopPlace;

beforeAll(async () => {
  place = await temporaryLoopPlace();
});

afterAll(() => place.remove());

const waiting = { to: "awaiting_approval" } as const;

it("a plan that waits is edited: kept tasks keep their number, new ones come, others go", async () => {
  const tasks = [planned("a"), planned("b", { needs: ["a"] }), planned("c", { needs: ["b"] })];
  const { loop } = await plannedLoop(place, tasks, waiting);
  const plan = {
    summary: "Another way.",
    tasks: [
      planned("d", { role: "tester", needs: [] }),
      planned("c", { title: "Say c anew", needs: ["d"], verify: [{ command: "true" }] }),
      planned("a", { needs: ["c"] }),
    ],
  };
  expect(await editPlan(place, loop.id, plan)).toMatchObject({ state: "awaiting_approval", plan });
  expect(await tasksOf(place.database, loop.id)).toMatchObject([
    { number: 1, key: "a", needs: [3], state: "blocked(awaiting_approval)" },
    { number: 2, key: null, needs: [], state: "cancelled", detail: "It was taken out of the plan." },
    { number: 3, key: "c", title: "Say c anew", needs: [4], verify: [{ command: "true" }] },
    { number: 4, key: "d", role: "tester", needs: [], state: "blocked(awaiting_approval)" },
  ]);
  const back = { summary: "", tasks: [...plan.tasks, planned("b", { needs: ["a"] })] };
  await editPlan(place, loop.id, back);
  expect((await tasksOf(place.database, loop.id)).at(-1)).toMatchObject({ number: 5, key: "b", needs: [1] });
  await approveLoop(place.database, loop.id);
  expect(await claimed(claimStage(place.database, claimOf("me")))).toMatchObject({ role: "tester" });
  await cancelLoop(place.database, loop.id);
});

it("a plan that somebody else changed meanwhile is not replaced by one who has not seen that", async () => {
  const { loop } = await plannedLoop(place, [planned("a")], waiting);
  const { planVersion: seen } = await existingLoop(place.database, loop.id);
  const theirs = { summary: "", tasks: [planned("theirs")] };
  await editPlan(place, loop.id, theirs, { seen: seen ?? "" });
  const mine = editPlan(place, loop.id, { summary: "", tasks: [planned("mine")] }, { seen: seen ?? "" });
  await expect(mine).rejects.toMatchObject({
    code: "not_allowed_now",
    remedy: expect.stringContaining("loop show"),
  });
  expect((await existingLoop(place.database, loop.id)).plan).toEqual(theirs);
  await cancelLoop(place.database, loop.id);
});

it("a plan is approved as the one that was seen: after any change of it, nothing is approved unseen", async () => {
  const { database } = place;
  const { loop } = await plannedLoop(place, [planned("a"), planned("b")], waiting);
  const version = async () => (await existingLoop(database, loop.id)).planVersion ?? "";
  const first = await version();
  const [task] = await tasksOf(database, loop.id);
  await editTask(database, task?.id ?? "", { verify: [{ command: "rm -rf build" }] });
  const refusal = { code: "not_allowed_now", message: expect.stringContaining(await version()) };
  await expect(approveLoop(database, loop.id, { seen: first })).rejects.toMatchObject(refusal);
  const second = await version();
  await editPlan(place, loop.id, { summary: "Another.", tasks: [planned("a")] });
  expect(new Set([first, second, await version()]).size).toBe(3);
  await expect(approveLoop(database, loop.id, { seen: second })).rejects.toMatchObject({
    code: "not_allowed_now",
  });
  expect(await existingLoop(database, loop.id)).toMatchObject({ state: "awaiting_approval" });
  expect(await approveLoop(database, loop.id, { seen: await version() })).toMatchObject({ state: "running" });
  await cancelLoop(database, loop.id);
});

it("the reason why a plan waits names the commands that it has after every change", async () => {
  const { database } = place;
  const given = planned("a", { verify: [{ command: "make $& it" }] });
  const { loop, plan } = await plannedLoop(place, [given], waiting);
  const asked = { loop, plan, environment: "host", usual: "yes" } as const;
  await database.query("update loops set detail = $2 where id = $1", [loop.id, whyItWaits(asked)]);
  const reason = async () => (await existingLoop(database, loop.id)).detail;
  await editPlan(place, loop.id, { summary: "", tasks: [{ ...given, verify: [{ command: "echo $& on" }] }] });
  expect(await reason()).toContain("on this machine itself: echo $& on.");
  const [task] = await tasksOf(database, loop.id);
  await editTask(database, task?.id ?? "", { verify: [{ command: "true" }] });
  expect(await reason()).toContain("on this machine itself: true.");
  await editTask(database, task?.id ?? "", { verify: [] });
  expect(await reason()).toContain(
    "waits for you. It has no commands that would run on this machine itself.",
  );
  await editTask(database, task?.id ?? "", { verify: [{ command: "make" }] });
  expect(await reason()).toContain("on this machine itself: make.");
  await cancelLoop(database, loop.id);
});

it("what cannot be carried out, or runs already, stays as it is", async () => {
  const { loop, plan } = await plannedLoop(place, [planned("a")], waiting);
  const circle = [planned("a", { needs: ["b"] }), planned("b", { needs: ["a"] })];
  const refused = editPlan(place, loop.id, { summary: "", tasks: circle });
  await expect(refused).rejects.toMatchObject({ code: "plan_invalid" });
  expect(await tasksOf(place.database, loop.id)).toHaveLength(1);
  await approveLoop(place.database, loop.id);
  await expect(editPlan(place, loop.id, plan)).rejects.toMatchObject({ code: "not_allowed_now" });
  await cancelLoop(place.database, loop.id);
});

it("a tester's task that may touch no test is refused, as in the plan that was made", async () => {
  const { loop } = await plannedLoop(place, [planned("a")], waiting);
  const project = { loop: loop.id, type: "loop.project", data: { testPaths: ["test/**"] } };
  await place.database.transaction((on) => appendEvent(on, project));
  const tasks = [planned("a", { role: "tester" })];
  await expect(editPlan(place, loop.id, { summary: "", tasks })).rejects.toMatchObject({
    code: "plan_invalid",
    message: expect.stringContaining("a is a tester's task and may change no test: tests are test/**"),
  });
  await cancelLoop(place.database, loop.id);
});

describe("what is done to tasks of a plan that waits is in the plan that is shown", () => {
  let loop: string;
  let first: string;

  beforeEach(async () => {
    const made = await plannedLoop(place, [planned("b"), planned("a", { needs: ["b"] })], waiting);
    loop = made.loop.id;
    first = made.tasks[0]?.id ?? "";
  });

  afterEach(() => cancelLoop(place.database, loop));

  /** As somebody has it who looks at the plan. */
  async function shown(): Promise<Plan> {
    const { plan } = await existingLoop(place.database, loop);
    if (!plan) throw new Error("there is no plan");
    return plan;
  }

  const standing = async () =>
    (await tasksOf(place.database, loop)).map(({ key, state, needs }) => ({ key, state, needs }));

  it("one that is added has a key that nobody has, and stays when the plan is given back", async () => {
    await editPlan(place, loop, { ...(await shown()), tasks: [planned("task-4"), ...(await shown()).tasks] });
    await addTask(place, loop, newTask("more", { needs: [2], verify: [{ command: "true" }] }));
    const plan = await shown();
    expect(plan.tasks.map(({ key }) => key)).toEqual(["task-4", "b", "a", "task-4-2"]);
    expect(plan.tasks[3]).toMatchObject({ title: "more", needs: ["a"], verify: [{ command: "true" }] });
    expect(await editPlan(place, loop, plan)).toMatchObject({ plan });
    expect(await standing()).toMatchObject([
      { key: "b", needs: [] },
      { key: "a", needs: [1] },
      { key: "task-4", needs: [] },
      { key: "task-4-2", state: "blocked(awaiting_approval)", needs: [2] },
    ]);
  });

  it("one that is edited is what was said, also after the plan is given back", async () => {
    await editTask(place.database, first, { title: "Another way", instructions: "Do it so." });
    const said = { key: "b", title: "Another way", instructions: "Do it so." };
    expect((await shown()).tasks[0]).toMatchObject(said);
    await editPlan(place, loop, await shown());
    expect((await tasksOf(place.database, loop))[0]).toMatchObject(said);
  });

  it("one that is cancelled is out of it, and its key is free for another", async () => {
    const before = await shown();
    await cancelTask(place.database, first);
    expect((await shown()).tasks).toEqual([planned("a", { needs: ["b"] })]);
    await expect(editPlan(place, loop, await shown())).rejects.toThrow("a needs b, which is not in the plan");
    await editPlan(place, loop, before);
    expect(await standing()).toMatchObject([
      { key: null, state: "cancelled" },
      { key: "a", needs: [3] },
      { key: "b", state: "blocked(awaiting_approval)" },
    ]);
  });

  it("one that is cancelled after the plan was approved stays in it: that is what a person agreed to", async () => {
    const agreed = await shown();
    await approveLoop(place.database, loop);
    await cancelTask(place.database, first);
    expect(await shown()).toEqual(agreed);
  });

  it("one that is cancelled and retried is in it again, and can be taken out", async () => {
    await cancelTask(place.database, first);
    await retryTask(place.database, first);
    expect((await shown()).tasks.map(({ key }) => key)).toEqual(["a", "b"]);
    await editPlan(place, loop, { summary: "", tasks: [planned("a")] });
    expect(await standing()).toMatchObject([{ state: "cancelled" }, { key: "a", needs: [] }]);
  });
});
