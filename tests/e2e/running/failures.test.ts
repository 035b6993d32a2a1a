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
import { change } from "../../../packages/orchestrator/src/state/change.ts";
import { openStage } from "../../../packages/orchestrator/src/state/stages.ts";
import type { TaskRow } from "../../../packages/orchestrator/src/state/tasks.ts";
import { atEnd } from "../../setup/at-end.ts";
import { playedBy } from "../../setup/loop-world.ts";
import { type BegunCase, begin, doing, expectItsEnd, patienceMs, workOff } from "./failing-tasks.ts";
import { ofSilence, withinRuns } from "./failure-cases.ts";
import { type RunningWorld, runningWorld } from "./running-world.ts";
import { there } from "./there.ts";

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

describe("a task that fails of the same again and again", () => {
  const begun = new Map<TaskFailureType, BegunCase>();

  beforeAll(async () => {
    for (const each of withinRuns) begun.set(each.type, await begin(world, each));
    await workOff(world);
  }, patienceMs);

  test.each(withinRuns)("ends as the table says, after so many runs: $type", async ({ type }) => {
    await expectItsEnd(there(begun.get(type), type));
  });

  test("ends as the table says, after so many runs: idle", async () => {
    await world.place.config.patch({ OPENTIGER_IDLE_TIMEOUT: "10s" }, "test");
    const silent = await begin(world, ofSilence);
    await workOff(world);
    await world.place.config.patch({ OPENTIGER_IDLE_TIMEOUT: null }, "test");
    await expectItsEnd(silent);
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
