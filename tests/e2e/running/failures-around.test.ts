import { overloaded, runCommand, startModelSim, think, whenPrompt, writeFile } from "@opentiger/model-sim";
import { cancelTask, Dispatcher } from "@opentiger/orchestrator";
import { sandboxUsage } from "@opentiger/sandboxd";
import type { TaskFailureType } from "@opentiger/schema";
import { beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { executeStage } from "../../../packages/orchestrator/src/dispatch/execute-stage.ts";
import { taskFailureRules } from "../../../packages/orchestrator/src/recovery/task-failures.ts";
import { atEnd } from "../../setup/at-end.ts";
import { docker, removeContainer } from "../../setup/docker.ts";
import { until } from "../../setup/until.ts";
import { type BegunCase, begin, doing, expectItsEnd, patienceMs, workOff } from "./failing-tasks.ts";
import { aroundRuns, hurried, misled, ofSandboxes } from "./failure-cases.ts";
import { type RunningWorld, runningWorld } from "./running-world.ts";
import { there } from "./there.ts";

/** Several runs of a real agent each, on a machine that does many other things. */
vi.setConfig({ testTimeout: 300_000 });

let world: RunningWorld;

const begun = new Map<TaskFailureType, BegunCase>();
const cases = [...aroundRuns, misled, hurried];

beforeAll(async () => {
  const sim = await startModelSim({
    scenarioFor: [
      whenPrompt("Meet 529", { steps: [overloaded("forever")] }),
      whenPrompt("Take many turns", { steps: [1, 2, 3, 4].map((turn) => runCommand(`echo ${turn}`)) }),
      whenPrompt("Go on for long", { steps: [writeFile("src/begun.txt", "begun\n"), think(300_000)] }),
    ],
  });
  atEnd(() => sim.close());
  world = await runningWorld(sim.url);
  const noWay = await runningWorld("ftp://models.example.test");
  // One of its own: what is quick enough elsewhere would take too long here, on a busy machine.
  const short = await runningWorld(sim.url);
  await world.place.config.patch({ OPENTIGER_MAX_TURNS: 1 }, "test");
  await short.place.config.patch({ OPENTIGER_RUN_TIMEOUT: "10s" }, "test");
  for (const each of aroundRuns) begun.set(each.type, await begin(world, each));
  begun.set(misled.type, await begin(noWay, misled));
  begun.set(hurried.type, await begin(short, hurried));
  await Promise.all([world, noWay, short].map(workOff));
  await world.place.config.patch({ OPENTIGER_MAX_TURNS: null }, "test");
}, patienceMs);

test.each(cases)(
  "a task that fails of the same again and again ends as the table says: $type",
  async ({ type }) => {
    await expectItsEnd(there(begun.get(type), type));
  },
);

/** What somebody does to the container of a sandbox. */
const ends: Partial<Record<TaskFailureType, (container: string) => Promise<unknown>>> = {
  removed: removeContainer,
  lost: (container) => docker("kill", container),
};

test.each(ofSandboxes)(
  "a task whose sandbox goes under its agent again and again ends as the table says: $type",
  async (each) => {
    const { type, before = 0 } = each;
    const task = await begin(world, each);
    const runs = Number(taskFailureRules[type].limit) + 1 - before;
    for (let run = 1; run <= runs; run += 1) await endUnderItsAgent(task, run);
    await expectItsEnd(task);
  },
);

test("a task whose sandbox is removed under its agent hears so, and the next run does the work", async () => {
  const task = await begin(world, { type: "removed", task: doing("sleep 600") });
  await endUnderItsAgent(task, 1);
  expect(await world.runs(task)).toMatchObject([{ state: "lost", failure: { type: "removed" } }]);
  const { instructions } = doing("echo hello > src/hello.txt");
  await world.place.database.query("update tasks set instructions = $2 where id = $1", [
    task.id,
    instructions,
  ]);
  expect(await world.next()).toMatchObject({ state: "blocked(awaiting_judge)", tries: { removed: 1 } });
});

test("a task that is cancelled has one run, which was cancelled, and nothing of it goes on", async () => {
  const { loop, tasks: made } = await world.loop([doing("echo begun > src/begun.txt; sleep 300")]);
  const task = { id: made[0]?.id ?? "" };
  const dispatcher = Dispatcher.start(world.place, { roles: ["worker"], reconciles: true });
  await until("the agent works", async () => (await world.runs(task))[0]?.execId, 60_000);
  await cancelTask(world.place.database, task.id);
  await until("its run has ended", async () => (await world.runs(task))[0]?.state !== "running", 60_000);
  await until("its sandbox is gone", async () => {
    return ![...(await world.sandboxes(loop)).keys()].some((name) => name.endsWith("-1"));
  });
  await dispatcher.stop();
  expect(await world.task(task.id)).toMatchObject({ state: "cancelled" });
  expect(await world.runs(task)).toMatchObject([{ state: "cancelled" }]);
});

test("what a cancelled run has used counts, though its agent never came to say it", async () => {
  const { tasks: made } = await world.loop([{ title: "Go on for long" }]);
  const task = { id: made[0]?.id ?? "" };
  const dispatcher = Dispatcher.start(world.place, { roles: ["worker"], reconciles: true });
  const run = async () => (await world.runs(task))[0];
  await until(
    "a model has answered it",
    async () => {
      const path = `/runs/${(await run())?.id}/usage`;
      const asked = world.place.sandboxd.ask({ method: "GET", path }, sandboxUsage);
      return (await asked.catch(() => undefined))?.totals.requests;
    },
    60_000,
  );
  await cancelTask(world.place.database, task.id);
  await until("its run has ended", async () => (await run())?.state !== "running", 60_000);
  await dispatcher.stop();
  expect(await run()).toMatchObject({ state: "cancelled", tokens: { output: expect.any(Number) } });
});

/** One run, from its claim to its end: by then its sandbox is not there any more, or does not run. */
async function endUnderItsAgent({ type, id, loop }: BegunCase, run: number): Promise<void> {
  const executing = executeStage(world.place, await world.claim(), new AbortController().signal);
  await until("the agent works", async () => (await world.runs({ id }))[run - 1]?.execId, 60_000);
  const backend = await world.place.backend("sandbox");
  const { container } = await backend.inspect(`loop-${loop}-shell-1`);
  await ends[type]?.(z.object({ id: z.string() }).parse(container).id);
  await executing;
}
