import {
  contextTooLong,
  endlessToolLoop,
  finish,
  garbage,
  type ModelSim,
  rateLimit,
  refusal,
  runCommand,
  type Step,
  startModelSim,
  unauthorized,
  whenPrompt,
  writeFile,
} from "@opentiger/model-sim";
import { sandboxUsage } from "@opentiger/sandboxd";
import type { TaskFailureType } from "@opentiger/schema";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { executeStage } from "../../../packages/orchestrator/src/dispatch/execute-stage.ts";
import { taskFailureRules } from "../../../packages/orchestrator/src/recovery/task-failures.ts";
import { change } from "../../../packages/orchestrator/src/state/change.ts";
import { openStage } from "../../../packages/orchestrator/src/state/stages.ts";
import type { NewTask, TaskRow } from "../../../packages/orchestrator/src/state/tasks.ts";
import { atEnd } from "../../setup/at-end.ts";
import { removeContainer } from "../../setup/docker.ts";
import { playedBy } from "../../setup/loop-world.ts";
import { soak } from "../../setup/soak.ts";
import { until } from "../../setup/until.ts";
import { doing, endedAs, patienceMs, workOff } from "./failing-tasks.ts";
import { type LoopParts, project, type RunningWorld, runningWorld } from "./running-world.ts";

/** Several runs of a real agent each, on a machine that does many other things. */
vi.setConfig({ testTimeout: 300_000 });

let sim: ModelSim;
let world: RunningWorld;

const farewell = writeFile("src/farewell.txt", "Goodbye\n");

/** What the model does to every run of a task called so. */
const scripted: Record<string, Step[]> = {
  "Meet 401": [unauthorized("forever")],
  "Meet a long context": [contextTooLong("forever")],
  "Meet a refusal": [refusal("I will not do that.", "forever")],
  "Meet garbage": [garbage("forever")],
  "Meet a tool loop": [endlessToolLoop("echo the same")],
  "Change nothing": [finish("All is well."), finish("Really.")],
  "Wait for the quota": [
    farewell,
    rateLimit({ resetSeconds: 3600 }),
    runCommand("cat src/farewell.txt"),
    finish("Done."),
  ],
  "Use up the budget": [farewell, runCommand("echo two"), runCommand("echo three"), finish("Done.")],
  "Ask the host": [runCommand("touch /tmp/never-mind"), finish("I was not allowed to.")],
};

beforeAll(async () => {
  sim = await startModelSim({
    scenarioFor: Object.entries(scripted).map(([words, steps]) => whenPrompt(words, { steps })),
  });
  atEnd(() => sim.close());
  world = await runningWorld(sim.url);
  await world.place.config.patch(playedBy("codex", "gpt-5.5"), "test");
});

const conversations = (words: string) =>
  sim.sessions().filter(({ opening, prompts }) => opening !== undefined && prompts[0]?.includes(words));

const setupFails = { ...project, "opentiger.json": JSON.stringify({ setup: ["echo oops; exit 3"] }) };
const onHost: LoopParts = { settings: { environment: "host" } };
/** Where there is nothing to be made; what such a failure leads to is the same in sandboxes. */
const anywhere: LoopParts = soak ? {} : onHost;

/** Each is one that a real run can be made to fail of here. */
const failures: { type: TaskFailureType; task: Partial<NewTask>; about?: LoopParts }[] = [
  { type: "auth", task: { title: "Meet 401" } },
  { type: "context", task: { title: "Meet a long context" } },
  { type: "refusal", task: { title: "Meet a refusal" } },
  { type: "network", task: { title: "Meet garbage" } },
  { type: "tool_loop", task: { title: "Meet a tool loop" } },
  { type: "denied", task: { title: "Ask the host", agent: "claude_code" }, about: onHost },
  { type: "no_change", task: doing("true"), about: anywhere },
  { type: "verify", task: doing("echo rude > src/word.txt"), about: anywhere },
  { type: "crash", task: doing("kill -9 $$"), about: anywhere },
  { type: "unknown", task: doing("echo x > src/x.txt; exit 3"), about: anywhere },
  { type: "rules", task: doing("echo x > elsewhere.txt"), about: anywhere },
  { type: "setup", task: doing("true"), about: { files: setupFails } },
];

describe("a task that fails of the same again and again", () => {
  const tasks = new Map<TaskFailureType, { id: string; loop: string }>();

  beforeAll(async () => {
    for (const { type, task, about } of failures) {
      const made = await world.loop([task], about);
      tasks.set(type, { id: made.tasks[0]?.id ?? "", loop: made.loop.id });
    }
    await workOff(world);
  }, patienceMs);

  test.each(failures)("ends as the table says, after so many runs: $type", async ({ type }) => {
    const { id = "", loop = "" } = tasks.get(type) ?? {};
    await endedAs(world, type, { id, loop });
  });

  test("ends as the table says, after so many runs: idle", async () => {
    await world.place.config.patch({ OPENTIGER_IDLE_TIMEOUT: "10s" }, "test");
    const { loop, tasks } = await world.loop([doing("sleep 300")], anywhere);
    const id = tasks[0]?.id ?? "";
    // Each of them is waited for: but for the full size, it has been so in all its runs but the last.
    const before = soak ? 0 : Number(taskFailureRules.idle.limit);
    if (before > 0)
      await world.place.database.query("update tasks set tries = $2::jsonb where id = $1", [
        id,
        JSON.stringify({ idle: before }),
      ]);
    await workOff(world);
    await world.place.config.patch({ OPENTIGER_IDLE_TIMEOUT: null }, "test");
    await endedAs(world, "idle", { id, loop: loop.id, before });
  });
});

describe("a task of a loop", () => {
  beforeEach(() => world.clear());

  test("has no more runs than a task may have, whatever the rule says", async () => {
    await world.place.config.patch({ OPENTIGER_TASK_RUNS: 2 }, "test");
    await world.loop([doing("kill -9 $$")]);
    await world.next();
    const task = await world.next();
    await world.place.config.patch({ OPENTIGER_TASK_RUNS: null }, "test");
    expect(await world.runs(task)).toHaveLength(2);
    expect(task).toMatchObject({ state: "failed", detail: expect.stringContaining("It has had 2 runs") });
  });

  test("is handed to the other agent where one is configured, who begins anew", async () => {
    await world.place.config.patch({ OPENTIGER_FALLBACK_AGENT: "command" }, "test");
    const instructions = "RUN: echo done > src/done.txt";
    const { loop } = await world.loop([{ title: "Change nothing", instructions }]);
    await world.next();
    expect(await world.next()).toMatchObject({ state: "queued", agent: "command" });
    const task = await world.next();
    await world.place.config.patch({ OPENTIGER_FALLBACK_AGENT: null }, "test");
    expect(task).toMatchObject({ state: "blocked(awaiting_judge)", agent: "command" });
    const runs = await world.runs(task);
    expect(runs.map(({ agent, state }) => [agent, state])).toEqual([
      ["codex", "failed"],
      ["codex", "failed"],
      ["command", "succeeded"],
    ]);
    expect([...(await world.sandboxes(loop)).keys()].filter((name) => name.endsWith("-1"))).toEqual([]);
  });

  test("whose sandbox is removed under its agent hears so, and the next run does the work", async () => {
    const { loop } = await world.loop([doing("sleep 600")]);
    const lease = await world.claim();
    const executing = executeStage(world.place, lease, new AbortController().signal);
    const task = { id: lease.task ?? "" };
    await until("the agent works", async () => (await world.runs(task))[0]?.execId, 60_000);
    const backend = await world.place.backend("sandbox");
    const { container } = await backend.inspect(`loop-${loop.id}-shell-1`);
    await removeContainer(z.object({ id: z.string() }).parse(container).id);
    await executing;
    expect(await world.runs(task)).toMatchObject([{ state: "lost", failure: { type: "removed" } }]);
    const { instructions } = doing("echo hello > src/hello.txt");
    await world.place.database.query("update tasks set instructions = $2 where id = $1", [
      task.id,
      instructions,
    ]);
    expect(await world.next()).toMatchObject({ state: "blocked(awaiting_judge)", tries: { removed: 1 } });
  });
});

describe("a task whose quota is used up", () => {
  beforeEach(() => world.clear());

  test("waits until it is back, in a sandbox that is stopped, and goes on once in the same conversation", async () => {
    const { loop, bare } = await world.loop([{ title: "Wait for the quota" }]);
    const began = Date.now();
    const waiting = await world.next();
    const sandbox = `loop-${loop.id}-codex-1`;
    expect(waiting).toMatchObject({ state: "blocked(quota_wait)", rework: { failure: "quota", sandbox } });
    const reset = waiting.notBefore?.getTime() ?? 0;
    expect(reset).toBeGreaterThan(began + 3_500_000);
    expect(reset).toBeLessThan(Date.now() + 3_700_000);
    // The slot is free: nobody has the stage, and it may not be claimed before.
    const stage = await openStage(world.place.database, waiting.id);
    expect(stage).toMatchObject({ state: "ready", kind: "run", notBefore: waiting.notBefore });
    expect((await world.sandboxes(loop)).get(sandbox)).toBe("stopped");
    const task = await world.next();
    expect(task).toMatchObject({ state: "blocked(awaiting_judge)", tries: { quota: 1 } });
    await resumedOnce(task, 0);
    expect(await farewellIn(bare, task)).toBe("Goodbye\n");
  });

  test("finds its work and its conversation again where its sandbox was removed meanwhile", async () => {
    const { loop, bare } = await world.loop([{ title: "Wait for the quota", instructions: "Elsewhere." }]);
    await world.next();
    await (await world.place.backend("sandbox")).remove(`loop-${loop.id}-codex-1`, { force: true });
    const task = await world.next();
    expect(task).toMatchObject({ state: "blocked(awaiting_judge)" });
    await resumedOnce(task, 1);
    expect(await farewellIn(bare, task)).toBe("Goodbye\n");
  });

  async function resumedOnce(task: TaskRow, index: number): Promise<void> {
    const [first, second, ...more] = await world.runs(task);
    expect(more).toEqual([]);
    expect([first?.state, second?.state]).toEqual(["failed", "succeeded"]);
    expect(second?.session).toBe(first?.session);
    const found = conversations("Wait for the quota");
    expect(found).toHaveLength(index + 1);
    expect(found[index]).toMatchObject({ key: first?.session, prefixKept: true, problems: [] });
  }

  async function farewellIn(
    bare: { readFile(commit: string, path: string): Promise<Buffer | undefined> },
    { candidateOid }: TaskRow,
  ): Promise<string | undefined> {
    return (await bare.readFile(candidateOid ?? "", "src/farewell.txt"))?.toString("utf8");
  }
});

test("a loop whose budget is used up is paused, and its task goes on where it was when there is more", async () => {
  await world.clear();
  await world.place.config.patch({ OPENTIGER_DAY_TOKENS: 900_000 }, "test");
  const settings = { budget: { tokens: 2_500, usd: null } };
  const { loop } = await world.loop([{ title: "Use up the budget" }], { settings });
  const stopped = await world.next();
  expect(stopped).toMatchObject({ state: "queued", rework: { failure: "budget" }, tries: {} });
  expect(await world.again(loop)).toMatchObject({ state: "paused(budget)" });
  const today = await world.place.sandboxd.ask({ method: "GET", path: "/day/usage" }, sandboxUsage);
  expect(today.budget, "runs at the same time share what is left of the day").toEqual({ tokens: 900_000 });
  expect(today.totals.tokens.output).toBeGreaterThan(0);
  await world.place.config.patch({ OPENTIGER_DAY_TOKENS: null }, "test");
  await expect(world.claim()).rejects.toThrow("there is no stage");
  const { database } = world.place;
  await database.query("update loops set settings = settings || $2::jsonb where id = $1", [
    loop.id,
    JSON.stringify({ budget: { tokens: 1_000_000, usd: null } }),
  ]);
  await change(database, { what: "loop", id: loop.id, by: "resume", from: "paused(budget)" });
  expect(await world.next()).toMatchObject({ state: "blocked(awaiting_judge)" });
  expect(conversations("Use up the budget")).toHaveLength(1);
});
