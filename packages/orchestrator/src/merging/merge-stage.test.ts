import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { git, TemporaryJudgedLoop } from "../fixture/temporary-judged-loop.ts";
import { type TemporaryPlace, temporaryPlace } from "../fixture/temporary-place.ts";
import { editTask } from "../loops/edit-task.ts";
import { LeaseLost } from "../stage/lease-lost.ts";
import { takeOver } from "../state/lease.ts";
import type { NewTask } from "../state/tasks.ts";
import { type MergeStep, mergeStage, mergeSteps } from "./merge-stage.ts";
import type { OnStep } from "./merge-steps.ts";
import { projectBranch } from "./project-branch.ts";

let place: TemporaryPlace;
const loops: TemporaryJudgedLoop[] = [];

beforeAll(async () => {
  place = await temporaryPlace();
});
afterEach(() => {
  for (const loop of loops.splice(0)) loop.remove();
});
afterAll(() => place?.remove());

const never = new AbortController().signal;

describe("a candidate that was found good", () => {
  it("comes to the branch as one commit of the user's, with trailers, and nothing else of the user's is touched", async () => {
    const loop = await begin([worker("one")]);
    const before = everything(loop.user);
    await loop.submit(1, { "one.txt": "1\n" }, { message: "whatever the agent said" });
    await loop.pass(1);
    await mergeStage(place, await loop.claim(1), never);
    expect(await loop.task(1)).toMatchObject({ state: "done", mergedOid: (await loop.row()).branchOid });
    const { branch, branchOid, projectedOid, baseOid } = await loop.row();
    expect(projectedOid).toBe(branchOid);
    expect(git(loop.user, "rev-parse", `refs/heads/${branch}`)).toBe(branchOid);
    expect(git(loop.user, "rev-parse", `${branch}^`)).toBe(baseOid);
    expect(git(loop.user, "show", `${branch}:one.txt`)).toBe("1");
    expect(git(loop.user, "log", "-1", "--format=%an <%ae>%n%B", branch ?? "")).toMatch(
      new RegExp(
        `^Una User <una@example.test>\\none\\n\\nOpenTiger-Loop: ${loop.id}\\nOpenTiger-Task: 1\\nOpenTiger-Run: `,
      ),
    );
    expect(everything(loop.user)).toEqual(before);
  });

  it("is tidied behind: no pin but those of base and branch stays", async () => {
    const loop = await begin([worker("one")]);
    await loop.submit(1, { "one.txt": "1\n" });
    await loop.pass(1);
    await mergeStage(place, await loop.claim(1), never);
    const pins = [...(await loop.repository.pins(loop.id)).keys()].filter(
      (name) => !name.startsWith("made/"),
    );
    expect(pins.toSorted()).toEqual(["base", "branch"]);
  });

  it("is judged again where the branch has moved on since", async () => {
    const loop = await begin([worker("one"), worker("two")]);
    await loop.submit(1, { "one.txt": "1\n" });
    await loop.submit(2, { "two.txt": "2\n" });
    await loop.pass(1);
    await loop.pass(2);
    await mergeStage(place, await loop.claim(1), never);
    const lease = await loop.claim(2);
    await mergeStage(place, lease, never);
    expect((await loop.task(2)).state).toBe("blocked(awaiting_judge)");
    expect((await loop.claim(2)).kind).toBe("judge");
    expect(await loop.shown()).toEqual(["one"]);
  });

  it("that was never judged, or not found good, is not merged", async () => {
    const loop = await begin([worker("one")]);
    await loop.submit(1, { "one.txt": "1\n" });
    await loop.pass(1);
    await place.database.query("update judgements set judgement = 'inconclusive'");
    await mergeStage(place, await loop.claim(1), never);
    expect(await loop.task(1)).toMatchObject({ state: "blocked(awaiting_judge)", mergedOid: null });
    expect((await loop.row()).branchOid).toBe((await loop.row()).baseOid);
  });
});

describe("a merge that stops", () => {
  it.each([...mergeSteps])("after the step %s is done exactly once by whoever comes next", async (stop) => {
    const loop = await begin([worker("one")]);
    await loop.submit(1, { "one.txt": "1\n" });
    await loop.pass(1);
    const lease = await loop.claim(1, "first");
    const stopped = mergeStage(place, lease, never, async (step) => {
      if (step === stop) throw new Error("killed here");
    });
    await expect(stopped).rejects.toThrow("killed here");
    if ((await loop.task(1)).state !== "done") {
      const next = await takeOver(place.database, lease, {
        owner: "second",
        leaseMs: 60_000,
        deadOwner: "first",
      });
      if (!next) throw new Error("nobody can take it over");
      await mergeStage(place, next, never);
    }
    // What the reconciler does.
    await projectBranch(place, loop.repository, loop.id);
    const { branchOid, projectedOid } = await loop.row();
    expect(projectedOid).toBe(branchOid);
    expect((await loop.task(1)).mergedOid).toBe(branchOid);
    expect(await loop.shown()).toEqual(["one"]);
  });

  it("and wakes up late changes nothing, wherever it was", async () => {
    for (const where of ["commit", "pin"] as const) {
      const loop = await begin([worker("one"), worker("two")]);
      await loop.submit(1, { "one.txt": "1\n" });
      await loop.pass(1);
      const lease = await loop.claim(1, "zombie");
      const sleep = sleepAfter(where);
      const zombie = mergeStage(place, lease, never, sleep.onStep);
      await sleep.begun;
      const next = await takeOver(place.database, lease, {
        owner: "next",
        leaseMs: 60_000,
        deadOwner: "zombie",
      });
      if (!next) throw new Error("nobody can take it over");
      await mergeStage(place, next, never);
      await loop.submit(2, { "two.txt": "2\n" });
      await loop.pass(2);
      await mergeStage(place, await loop.claim(2), never);
      const before = await loop.row();
      sleep.wake();
      await expect(zombie).rejects.toBeInstanceOf(LeaseLost);
      expect(await loop.row()).toEqual(before);
      expect(await loop.shown()).toEqual(["two", "one"]);
    }
  });

  it("after the branch was advanced, and wakes up late, takes nothing back", async () => {
    const loop = await begin([worker("one"), worker("two")]);
    await loop.submit(1, { "one.txt": "1\n" });
    await loop.pass(1);
    const sleep = sleepAfter("advance");
    const zombie = mergeStage(place, await loop.claim(1), never, sleep.onStep);
    await sleep.begun;
    await loop.submit(2, { "two.txt": "2\n" });
    await loop.pass(2);
    await mergeStage(place, await loop.claim(2), never);
    sleep.wake();
    await zombie;
    expect(await loop.shown()).toEqual(["two", "one"]);
    expect((await loop.row()).state).toBe("running");
  });
});

describe("a branch in the user's repository", () => {
  it("that somebody else moved stops the loop, and is left as it is", async () => {
    const loop = await begin([worker("one"), worker("two")]);
    await loop.submit(1, { "one.txt": "1\n" });
    await loop.pass(1);
    await mergeStage(place, await loop.claim(1), never);
    const { branch } = await loop.row();
    git(loop.user, "commit", "--quiet", "--allow-empty", "--message=mine");
    const mine = git(loop.user, "rev-parse", "HEAD");
    git(loop.user, "update-ref", `refs/heads/${branch}`, mine);
    await loop.submit(2, { "two.txt": "2\n" });
    await loop.pass(2);
    await mergeStage(place, await loop.claim(2), never);
    expect(await loop.row()).toMatchObject({
      state: "paused(branch_moved)",
      detail: expect.stringContaining(mine),
    });
    expect(git(loop.user, "rev-parse", `refs/heads/${branch}`)).toBe(mine);
    expect((await loop.task(2)).state).toBe("done");
  });

  it("that is checked out is not moved under its user, and the merge holds", async () => {
    const loop = await begin([worker("one"), worker("two")]);
    await loop.submit(1, { "one.txt": "1\n" });
    await loop.pass(1);
    await mergeStage(place, await loop.claim(1), never);
    const { branch, branchOid } = await loop.row();
    git(loop.user, "checkout", "--quiet", branch ?? "");
    await loop.submit(2, { "two.txt": "2\n" });
    await loop.pass(2);
    await mergeStage(place, await loop.claim(2), never);
    expect(git(loop.user, "rev-parse", "HEAD")).toBe(branchOid);
    expect(git(loop.user, "status", "--porcelain")).toBe("");
    expect((await loop.row()).state).toBe("running");
    git(loop.user, "checkout", "--quiet", "main");
    await projectBranch(place, loop.repository, loop.id);
    expect(await loop.shown()).toEqual(["two", "one"]);
  });
});

describe("tests that were written first", () => {
  it("are done without moving the branch, and come to it with their code in one commit", async () => {
    const loop = await begin([
      { ...worker("tests"), role: "tester", allowedPaths: ["test/**"] },
      { ...worker("code"), needs: [1] },
    ]);
    await loop.submit(1, { "test/one.txt": "tested\n" });
    await loop.pass(1);
    await mergeStage(place, await loop.claim(1), never);
    expect(await loop.task(1)).toMatchObject({ state: "done", mergedOid: null });
    expect((await loop.row()).branchOid).toBe((await loop.row()).baseOid);
    await loop.submit(2, { "one.txt": "1\n" });
    await loop.pass(2);
    await mergeStage(place, await loop.claim(2), never);
    const { branch, branchOid } = await loop.row();
    expect((await loop.task(1)).mergedOid).toBe(branchOid);
    expect(await loop.shown()).toEqual(["code"]);
    expect(git(loop.user, "show", `${branch}:test/one.txt`)).toBe("tested");
    expect(
      git(loop.user, "log", "-1", "--format=%(trailers:key=OpenTiger-Task,valueonly)", branch ?? ""),
    ).toBe("2\n1");
  });
});

describe("a plan that is edited between a judgement and its merge", () => {
  const tester: NewTask = { ...worker("tests"), role: "tester", allowedPaths: ["test/**"] };

  it("brings no tests to the branch that were judged as those of code to come, and so are red", async () => {
    const loop = await begin([tester, { ...worker("code"), needs: [1] }]);
    await loop.submit(1, { "test/one.txt": "tested\n" });
    await loop.pass(1);
    await editTask(place.database, (await loop.task(2)).id, { needs: [] });
    await mergeStage(place, await loop.claim(1), never);
    expect(await loop.task(1)).toMatchObject({ state: "blocked(awaiting_judge)", mergedOid: null });
    expect((await loop.claim(1)).kind).toBe("judge");
    expect((await loop.row()).branchOid).toBe((await loop.row()).baseOid);
  });

  it("holds no tests for code that were judged as standing for themselves, and so are green", async () => {
    const loop = await begin([tester, worker("code")]);
    await loop.submit(1, { "test/one.txt": "tested\n" });
    await loop.pass(1);
    await editTask(place.database, (await loop.task(2)).id, { needs: [1] });
    await mergeStage(place, await loop.claim(1), never);
    expect(await loop.task(1)).toMatchObject({ state: "blocked(awaiting_judge)", mergedOid: null });
    expect((await loop.claim(1)).kind).toBe("judge");
  });
});

async function begin(tasks: readonly NewTask[]): Promise<TemporaryJudgedLoop> {
  const files = { "readme.md": "A sample.\n" };
  const loop = await TemporaryJudgedLoop.begin(place, { files, tasks, settings: { environment: "host" } });
  loops.push(loop);
  return loop;
}

function worker(title: string): NewTask {
  return { title, role: "worker", instructions: "Do it.", needs: [], allowedPaths: [`${title}.txt`] };
}

/** Stops a merge after a step until it is woken. */
function sleepAfter(where: MergeStep): { onStep: OnStep; begun: Promise<void>; wake: () => void } {
  let begin = (): void => {};
  let wake = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const woken = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const onStep: OnStep = async (step) => {
    if (step !== where) return;
    begin();
    await woken;
  };
  return { onStep, begun, wake: () => wake() };
}

/** Of the user's repository all but the branch of the loop: HEAD, index, settings, refs, files. */
function everything(user: string): string[] {
  return [
    git(user, "status", "--porcelain", "--branch"),
    git(user, "config", "--list", "--local"),
    git(user, "for-each-ref", "--format=%(refname) %(objectname)")
      .replaceAll(/^.*tiger.*$\n?/gm, "")
      .trim(),
    git(user, "reflog", "--all")
      .replaceAll(/^.*tiger.*$/gm, "")
      .trim(),
    git(user, "ls-files", "--stage"),
  ];
}
