import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  beginRun,
  endRun,
  planned,
  plannedLoop,
  type TemporaryLoopPlace,
  temporaryLoopPlace,
} from "../fixture/temporary-loop-place.ts";
import { claimed, claimOf, newTask } from "../fixture/temporary-loops.ts";
import { change } from "../state/change.ts";
import { claimStage } from "../state/claims.ts";
import { appendEvent } from "../state/events.ts";
import { heartbeat } from "../state/lease.ts";
import { findLoop } from "../state/loops.ts";
import { openStage } from "../state/stages.ts";
import type { NewTask, TaskRow } from "../state/tasks.ts";
import { addTask } from "./add-task.ts";
import { cancelLoop } from "./cancel-loop.ts";
import { cancelTask } from "./cancel-task.ts";
import { editTask } from "./edit-task.ts";
import { endLoopIfOver } from "./end-loop.ts";
import { pauseTask } from "./pause-task.ts";
import { resumeTask } from "./resume-task.ts";
import { retryTask } from "./retry-task.ts";
import { tasksOf } from "./tasks-of.ts";

let place: TemporaryLoopPlace;
let loop: string;

beforeAll(async () => {
  place = await temporaryLoopPlace();
});

afterAll(() => place.remove());

/** b needs a, c needs b, d stands for itself. */
beforeEach(async () => {
  const tasks = [planned("a"), planned("b", { needs: ["a"] }), planned("c", { needs: ["b"] }), planned("d")];
  loop = (await plannedLoop(place, tasks)).loop.id;
});

afterEach(async () => {
  await cancelLoop(place.database, loop).catch(() => {});
});

async function task(number: number): Promise<TaskRow> {
  const found = (await tasksOf(place.database, loop)).find((each) => each.number === number);
  if (!found) throw new Error("no such task");
  return found;
}

const id = async (number: number): Promise<string> => (await task(number)).id;

describe("a task that is cancelled", () => {
  it("while it waits for its quota has nothing that could be claimed when that is back, and others go on", async () => {
    const { lease, run } = await beginRun(place);
    const { fence } = lease;
    await change(place.database, { what: "run", id: run, by: "fail", from: "running", fence });
    const waits = { what: "task", id: await id(1), by: "wait_for_quota", from: "running", fence } as const;
    await change(place.database, { ...waits, set: { notBefore: new Date(Date.now() + 3_600_000) } });
    const other = await beginRun(place);
    expect(other.lease.task, "its slot is free for those that do not need it").toBe(await id(4));
    await cancelTask(place.database, await id(1));
    expect(await task(1)).toMatchObject({ state: "cancelled", detail: null });
    expect(await openStage(place.database, await id(1))).toBeUndefined();
    expect(await heartbeat(place.database, other.lease, 60_000)).toBeDefined();
    await endRun(place, other, "done");
    expect((await claimStage(place.database, claimOf("me"))).claimed).toBe(false);
    await endLoopIfOver(place.database, loop);
    expect((await findLoop(place.database, loop))?.summary).toMatchObject({ done: 1, cancelled: 1 });
  });

  it("takes the lease away, and those that need it say on whom they wait", async () => {
    const begun = await beginRun(place);
    await cancelTask(place.database, await id(1));
    expect(await heartbeat(place.database, begun.lease, 1_000)).toBeUndefined();
    const because = "It needs task 1 (Do a), which was cancelled.";
    expect(await task(2)).toMatchObject({ state: "blocked(dependency_failed)", detail: because });
    expect(await task(3)).toMatchObject({ state: "blocked(dependency_failed)", detail: because });
    expect(await task(4)).toMatchObject({ state: "queued" });
    expect(await cancelTask(place.database, await id(1))).toMatchObject({ state: "cancelled" });
    await change(place.database, { what: "run", id: begun.run, by: "lose", from: "running" });
  });

  it("and retried lets them go on, unless they wait for another one too", async () => {
    await cancelTask(place.database, await id(1));
    await cancelTask(place.database, await id(2));
    expect((await task(3)).detail).toBe(
      "It needs task 1 (Do a), which was cancelled, and task 2 (Do b), which was cancelled.",
    );
    expect(await retryTask(place.database, await id(2))).toMatchObject({
      state: "blocked(dependency_failed)",
      detail: "It needs task 1 (Do a), which was cancelled.",
    });
    await retryTask(place.database, await id(1));
    expect((await tasksOf(place.database, loop)).map(({ state, detail }) => [state, detail])).toEqual(
      Array.from({ length: 4 }, () => ["queued", null]),
    );
  });
});

describe("a task that is retried", () => {
  it("has all its tries again, keeps what was found, and opens its loop", async () => {
    const begun = await beginRun(place);
    const rework = {
      failure: "judge",
      points: [{ by: "judge", file: "a.js", line: 3, text: "wrong" }],
      session: "s",
      agent: "claude_code",
      from: "f".repeat(40),
      sandbox: "kept",
    } as const;
    const { fence, task: failing } = begun.lease;
    await change(place.database, { what: "run", id: begun.run, by: "fail", from: "running", fence });
    await change(place.database, {
      what: "task",
      id: failing ?? "",
      by: "give_up",
      from: "running",
      fence,
      set: {
        detail: "no",
        tries: { judge: 3 },
        notBefore: new Date(),
        rework: { ...rework, points: [...rework.points] },
      },
    });
    await endRun(place, await beginRun(place), "done");
    expect(await endLoopIfOver(place.database, loop)).toMatchObject({ state: "failed" });
    const again = await retryTask(place.database, failing ?? "");
    expect(again).toMatchObject({ state: "queued", detail: null, tries: {}, notBefore: null });
    expect(again.rework).toEqual({ ...rework, session: null, sandbox: null });
    expect((await task(2)).state).toBe("queued");
    expect(await claimed(claimStage(place.database, claimOf("me")))).toMatchObject({ task: failing });
    await expect(retryTask(place.database, failing ?? "")).rejects.toMatchObject({ code: "not_allowed_now" });
  });

  it("is refused in a loop that was cancelled, which is final", async () => {
    await cancelLoop(place.database, loop);
    await expect(retryTask(place.database, await id(1))).rejects.toMatchObject({
      code: "not_allowed_now",
      remedy: "Start a new loop.",
    });
  });
});

describe("a task that is paused", () => {
  it("is not begun until it is resumed, and the others are", async () => {
    await pauseTask(place.database, await id(1));
    expect(await pauseTask(place.database, await id(1))).toMatchObject({ state: "blocked(paused)" });
    const lease = await claimed(claimStage(place.database, claimOf("me")));
    expect(lease.task).toBe(await id(4));
    expect((await claimStage(place.database, claimOf("me"))).claimed).toBe(false);
    await expect(pauseTask(place.database, await id(4))).rejects.toMatchObject({ code: "not_allowed_now" });
    expect(await resumeTask(place.database, await id(1))).toMatchObject({ state: "queued" });
    await expect(resumeTask(place.database, await id(1))).rejects.toMatchObject({ code: "not_allowed_now" });
    expect((await claimStage(place.database, claimOf("me"))).claimed).toBe(true);
  });

  it("keeps its loop open", async () => {
    await cancelTask(place.database, await id(4));
    await pauseTask(place.database, await id(1));
    expect(await endLoopIfOver(place.database, loop)).toBeUndefined();
  });
});

describe("a task that is added", () => {
  const more = (fields: Partial<NewTask> = {}): NewTask => newTask("e", fields);

  it("is numbered on, and runs when what it needs is done", async () => {
    const added = await addTask(place, loop, more({ needs: [1] }));
    expect(added).toMatchObject({ number: 5, state: "queued", needs: [1] });
    expect(await openStage(place.database, added.id)).toMatchObject({ state: "waiting" });
    await endRun(place, await beginRun(place), "done");
    expect(await openStage(place.database, added.id)).toMatchObject({ state: "ready" });
  });

  it("is refused with what is not there, too much, or a tester's second one; and nothing of it is kept", async () => {
    await expect(addTask(place, loop, more({ needs: [9] }))).rejects.toMatchObject({ code: "plan_invalid" });
    await editTask(place.database, await id(1), { role: "tester" });
    await expect(addTask(place, loop, more({ needs: [1] }))).rejects.toMatchObject({
      code: "plan_invalid",
      message: expect.stringContaining("task 1 is a tester's task and is needed by task 2, task 5"),
    });
    place.env["OPENTIGER_MAX_TASKS"] = "4";
    await expect(addTask(place, loop, more())).rejects.toMatchObject({ code: "plan_invalid" });
    delete place.env["OPENTIGER_MAX_TASKS"];
    expect(await tasksOf(place.database, loop)).toHaveLength(4);
    await cancelLoop(place.database, loop);
    await expect(addTask(place, loop, more())).rejects.toMatchObject({ code: "not_allowed_now" });
  });
});

describe("a task that is edited", () => {
  it("is what was said, and is claimed as such", async () => {
    const fields = {
      title: "Other",
      role: "docser",
      allowedPaths: ["x"],
      verify: [{ command: "true" }],
    } as const;
    const edited = await editTask(place.database, await id(4), { ...fields, needs: [1] });
    expect(edited).toMatchObject({ ...fields, needs: [1], instructions: "Do it." });
    expect(await openStage(place.database, edited.id)).toMatchObject({ role: "docser", state: "waiting" });
    await editTask(place.database, edited.id, { needs: [] });
    expect(await openStage(place.database, edited.id)).toMatchObject({ state: "ready" });
  });

  it("needs nothing that would need it, nor what is not there, nor is edited while it runs", async () => {
    const circle = editTask(place.database, await id(1), { needs: [3] });
    await expect(circle).rejects.toMatchObject({ message: expect.stringContaining("circle") });
    await expect(editTask(place.database, await id(1), { needs: [77] })).rejects.toMatchObject({
      message: expect.stringContaining("77"),
    });
    await expect(editTask(place.database, await id(1), { needs: [1] })).rejects.toMatchObject({
      code: "plan_invalid",
      message: expect.stringContaining("circle: task 1"),
    });
    expect((await task(1)).needs).toEqual([]);
    const { lease } = await beginRun(place);
    await expect(editTask(place.database, lease.task ?? "", { title: "x" })).rejects.toMatchObject({
      code: "not_allowed_now",
    });
  });

  it("and is told anew to an agent that has worked on it, unless nothing was said that it was told", async () => {
    const rework = {
      failure: "verify",
      points: [],
      session: "s",
      agent: "codex",
      from: null,
      sandbox: "kept",
    };
    const set = "update tasks set rework = $2 where id = $1";
    await place.database.query(set, [await id(4), JSON.stringify(rework)]);
    expect((await editTask(place.database, await id(4), { needs: [1] })).rework).toEqual(rework);
    const edited = await editTask(place.database, await id(4), { instructions: "Do the other." });
    expect(edited.rework).toEqual({ ...rework, session: null });
  });

  it("and freed of what failed goes on at once", async () => {
    await cancelTask(place.database, await id(1));
    expect(await editTask(place.database, await id(2), { needs: [] })).toMatchObject({ state: "queued" });
    expect((await task(3)).state).toBe("queued");
  });
});

it("a tester's task may touch tests, where it is known what a test is: also one that is added or edited", async () => {
  const project = { loop, type: "loop.project", data: { testPaths: ["test/**"] } };
  await place.database.transaction((on) => appendEvent(on, project));
  const words = expect.stringContaining("may change no test: tests are test/**");
  const refused = { code: "plan_invalid", message: words };
  await expect(addTask(place, loop, newTask("e", { role: "tester" }))).rejects.toMatchObject(refused);
  await expect(editTask(place.database, await id(4), { role: "tester" })).rejects.toMatchObject(refused);
  const tester = { role: "tester", allowedPaths: ["test/d.js"] } as const;
  expect(await editTask(place.database, await id(4), tester)).toMatchObject(tester);
});

it.each(["../b", "/etc/passwd", "src/../../b"])(
  "a task may change nothing outside of the repository, added or edited: %s",
  async (path) => {
    const refused = { code: "plan_invalid", message: expect.stringContaining(`may change ${path}`) };
    for (const paths of [{ allowedPaths: [path] }, { mayChange: [path] }]) {
      await expect(addTask(place, loop, newTask("e", paths))).rejects.toMatchObject(refused);
      await expect(editTask(place.database, await id(4), paths)).rejects.toMatchObject(refused);
    }
    expect(await tasksOf(place.database, loop)).toHaveLength(4);
    expect(await task(4)).toMatchObject({ allowedPaths: ["d/**"], mayChange: [] });
  },
);

it("a task that is not there is told, whatever it is called", async () => {
  for (const name of ["7", "00000000-0000-4000-8000-000000000000"]) {
    await expect(cancelTask(place.database, name)).rejects.toMatchObject({ code: "not_found" });
  }
});
