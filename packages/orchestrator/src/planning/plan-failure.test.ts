import { loopSettings, type TaskFailure } from "@opentiger/schema";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  planned,
  plannedLoop,
  type TemporaryLoopPlace,
  temporaryLoopPlace,
} from "../fixture/temporary-loop-place.ts";
import { claimed, claimOf, newTask } from "../fixture/temporary-loops.ts";
import { addTask } from "../loops/add-task.ts";
import { approveLoop } from "../loops/approve-loop.ts";
import { cancelLoop } from "../loops/cancel-loop.ts";
import { editTask } from "../loops/edit-task.ts";
import { retryLoop } from "../loops/retry-loop.ts";
import { startLoop } from "../loops/start-loop.ts";
import { claimStage } from "../state/claims.ts";
import { listEvents } from "../state/events.ts";
import { type Lease, takeOver } from "../state/lease.ts";
import { findLoop } from "../state/loops.ts";
import { failuresOfPlan, noteBase, tellOnce } from "../state/planning.ts";
import { listRuns, type RunRow, startRun } from "../state/runs.ts";
import { listStages } from "../state/stages.ts";
import type { TaskRow } from "../state/tasks.ts";
import { asApproved, whyItWaits } from "./approval.ts";
import { failPlanning } from "./plan-failure.ts";

let place: TemporaryLoopPlace & { folder: string };
let loop: string;

beforeAll(async () => {
  const temporary = await temporaryLoopPlace();
  place = { ...temporary, folder: temporary.instance.home };
});

afterAll(() => place.remove());

beforeEach(async () => {
  const asked = {
    repository: { path: place.instance.home },
    requirement: "More.",
    source: { kind: "prose" },
  } as const;
  loop = (await startLoop(place, { ...asked, settings: loopSettings.parse({}) })).id;
});

afterEach(async () => {
  await cancelLoop(place.database, loop).catch(() => {});
});

async function planning(): Promise<{ lease: Lease; run: RunRow }> {
  // Nobody waits in a test: a stage may be claimed before its time.
  await place.database.query("update stages set not_before = now() where loop_id = $1", [loop]);
  const lease = await claimed(claimStage(place.database, claimOf("me", {}, ["planner"])));
  const run = await startRun(place.database, lease, { agent: "claude_code", role: "planner" });
  if (!run) throw new Error("no lease");
  return { lease, run };
}

function failure(type: TaskFailure["type"], until: Date | null = null): TaskFailure {
  return { type, message: `It was ${type}`, remedy: "Mend it.", until: until?.toISOString() ?? null };
}

const state = async (): Promise<string | undefined> => (await findLoop(place.database, loop))?.state;

describe("a planner that failed", () => {
  it("in a way that passes is asked again later, so often as the table says, and then the loop says why", async () => {
    for (let time = 0; time < 5; time++) {
      const { lease, run } = await planning();
      await failPlanning(place, lease, run, failure("overloaded"));
      expect(await state()).toBe("planning");
      const [stage] = (await listStages(place.database, { loop })).items;
      expect(stage).toMatchObject({ state: "ready", owner: null });
      expect(stage?.notBefore.getTime()).toBeGreaterThan(Date.now() + 10_000);
    }
    const { lease, run } = await planning();
    await failPlanning(place, lease, run, failure("overloaded"));
    expect(await findLoop(place.database, loop)).toMatchObject({
      state: "failed",
      detail: `There is no plan. It was overloaded. It was tried 5 times more, in vain. Mend it. Then: \`opentiger loop retry ${loop}\`.`,
    });
    expect((await listRuns(place.database, { loop, status: "failed" })).items).toHaveLength(6);
  });

  it("has all its tries again when the loop is retried", async () => {
    const first = await planning();
    await failPlanning(place, first.lease, first.run, failure("tool_loop"));
    const second = await planning();
    await failPlanning(place, second.lease, second.run, failure("tool_loop"));
    expect(await state()).toBe("failed");
    await retryLoop(place, loop);
    const third = await planning();
    expect(third.run.number).toBe(3);
    await failPlanning(place, third.lease, third.run, failure("tool_loop"));
    expect(await state()).toBe("planning");
  });

  it("waits for a quota until its reset", async () => {
    const { lease, run } = await planning();
    const until = new Date(Date.now() + 3_600_000);
    await failPlanning(place, lease, run, failure("quota", until));
    const [stage] = (await listStages(place.database, { loop })).items;
    expect(stage?.notBefore.getTime()).toBeGreaterThanOrEqual(until.getTime());
    const { items } = await listEvents(place.database, { loop });
    const told = items.filter(({ type }) => type === "loop.plan_again");
    expect(told).toMatchObject([{ run: run.id, data: { failure: "quota" } }]);
    expect(told[0]?.data["detail"]).toBe(
      `It was quota. It is tried again at ${stage?.notBefore.toISOString()}.`,
    );
    expect(await failuresOfPlan(place.database, lease), "once, although it is told twice").toEqual({
      quota: 1,
    });
  });

  it.each(["malformed", "auth", "budget", "refusal"] as const)("for %s is not asked again", async (type) => {
    const { lease, run } = await planning();
    await failPlanning(place, lease, run, failure(type));
    expect(await state()).toBe("failed");
  });

  it("changes nothing where the stage is another's by now", async () => {
    const { lease, run } = await planning();
    await takeOver(place.database, lease, { owner: "other", leaseMs: 60_000, deadOwner: "me" });
    await expect(failPlanning(place, lease, run, failure("auth"))).rejects.toThrow("lease");
    expect(await state()).toBe("planning");
    expect((await listRuns(place.database, { loop })).items).toMatchObject([{ state: "running" }]);
  });
});

it("what is found out is written once, and by nobody who has lost the stage", async () => {
  const { lease } = await planning();
  expect(await noteBase(place.database, lease, "one")).toBe("one");
  expect(await tellOnce(place.database, lease, "loop.base", { baseOid: "one" })).toBe(true);
  const taken = await takeOver(place.database, lease, { owner: "other", leaseMs: 60_000, deadOwner: "me" });
  if (!taken) throw new Error("it was not taken over");
  expect(await noteBase(place.database, lease, "two")).toBeUndefined();
  expect(await noteBase(place.database, taken, "two")).toBe("one");
  expect(await tellOnce(place.database, lease, "loop.project", {})).toBe(false);
  expect(await tellOnce(place.database, taken, "loop.base", { baseOid: "one" })).toBe(true);
  expect(await findLoop(place.database, loop)).toMatchObject({ baseOid: "one", branchOid: "one" });
  const types = (await listEvents(place.database, { loop })).items.map(({ type }) => type);
  expect(types.filter((type) => type === "loop.base")).toHaveLength(1);
  expect(types).not.toContain("loop.project");
});

describe("whether a plan waits for a person", () => {
  const verify = [{ command: "make it" }];
  const asked = {
    loop: { id: "x", source: { kind: "prose" as const }, settings: loopSettings.parse({}) },
    plan: { tasks: [planned("a", { verify })] },
    environment: "sandbox" as const,
    usual: "no" as const,
  };
  const stories = { kind: "stories" as const, file: null, summary: "", tasks: [planned("a", { verify })] };

  it.each([
    ["in a sandbox it does not", {}, null],
    ["unless that is the setting", { usual: "yes" as const }, "waits for you"],
    [
      "or was said",
      { loop: { ...asked.loop, settings: loopSettings.parse({ approve: true }) } },
      "waits for you",
    ],
    [
      "what was said counts more than the setting",
      { usual: "yes" as const, loop: { ...asked.loop, settings: loopSettings.parse({ approve: false }) } },
      null,
    ],
    [
      "only the plan was wanted",
      { loop: { ...asked.loop, settings: loopSettings.parse({ dryRun: true, approve: false }) } },
      "Only the plan",
    ],
    [
      "on the host a model's commands do",
      { environment: "host" as const },
      "on this machine itself: make it",
    ],
    [
      "whyever a plan waits, on the host its commands are named: only the plan was wanted",
      {
        environment: "host" as const,
        loop: { ...asked.loop, settings: loopSettings.parse({ dryRun: true }) },
      },
      "Only the plan was asked for. It has commands that would run on this machine itself: make it.",
    ],
    [
      "whyever a plan waits, on the host its commands are named: it is usual",
      { environment: "host" as const, usual: "yes" as const },
      "The plan waits for you. It has commands that would run on this machine itself: make it.",
    ],
    [
      "on the host without commands it does not",
      { environment: "host" as const, plan: { tasks: [planned("a")] } },
      null,
    ],
    [
      "on the host a person's do not",
      { environment: "host" as const, loop: { ...asked.loop, source: stories } },
      null,
    ],
  ])("%s", (_when, more, words) => {
    const why = whyItWaits({ ...asked, ...more });
    if (words === null) expect(why).toBeNull();
    else expect(why).toContain(words);
  });

  it("commands that nobody approved are not run on the host, wherever the loop was planned", async () => {
    const waiting = { to: "awaiting_approval" } as const;
    const { loop: row, tasks } = await plannedLoop(place, [planned("a", { verify })], waiting);
    const [task] = tasks;
    if (!task) throw new Error("no task");
    const on = place.database;
    const all = { tasks: [task, task], leftOut: [] };
    expect(await asApproved(on, row, "host", [task, task])).toEqual({
      tasks: [
        { ...task, verify: [] },
        { ...task, verify: [] },
      ],
      leftOut: verify.map(({ command }) => command),
    });
    expect(await asApproved(on, row, "sandbox", [task, task])).toEqual(all);
    expect(await asApproved(on, { ...row, source: stories }, "host", [task, task])).toEqual(all);
    await approveLoop(on, row.id);
    expect(await asApproved(on, row, "host", [task, task])).toEqual(all);
    await cancelLoop(on, row.id);
  });

  it("what a person said of a task is run on the host, also where nobody had to approve the plan", async () => {
    const { loop: row, tasks } = await plannedLoop(place, [planned("a", { verify })]);
    const on = place.database;
    const runOnHost = async (task: TaskRow) => (await asApproved(on, row, "host", [task])).tasks[0]?.verify;
    // Which looks like one with a secret in it.
    const own = [{ command: "curl http://me:it@127.0.0.1:8080/ready" }];
    expect(await runOnHost(await addTask(place, row.id, newTask("b", { verify: own })))).toEqual(own);
    const edited = await editTask(on, tasks[0]?.id ?? "", { verify: [{ command: "another of mine" }] });
    expect(await runOnHost(edited)).toEqual([{ command: "another of mine" }]);
    expect(await runOnHost({ ...edited, verify: [...own, ...verify] })).toEqual(own);
    await cancelLoop(on, row.id);
  });
});
