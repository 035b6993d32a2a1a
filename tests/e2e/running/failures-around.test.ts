import { overloaded, startModelSim, think, whenPrompt, writeFile } from "@opentiger/model-sim";
import { cancelTask, Dispatcher } from "@opentiger/orchestrator";
import { sandboxUsage } from "@opentiger/sandboxd";
import type { TaskFailureType } from "@opentiger/schema";
import { beforeAll, expect, test, vi } from "vitest";
import type { NewTask } from "../../../packages/orchestrator/src/state/tasks.ts";
import { atEnd } from "../../setup/at-end.ts";
import { until } from "../../setup/until.ts";
import { doing, endedAs, patienceMs, workOff } from "./failing-tasks.ts";
import { type LoopParts, project, type RunningWorld, runningWorld } from "./running-world.ts";

/** Several runs of a real agent each, on a machine that does many other things. */
vi.setConfig({ testTimeout: 300_000 });

let world: RunningWorld;
/** One whose models are at no address that may be asked, and whose runs have little time. */
let misled: RunningWorld;

interface Failing {
  type: TaskFailureType;
  task: Partial<NewTask>;
  about?: LoopParts;
  /** So often it has been tried already, where a CLI takes its time each time. */
  before?: number;
  where?: () => RunningWorld;
}

const tooSmall = { ...project, "opentiger.json": JSON.stringify({ limits: { memory: "1m" } }) };

const failures: Failing[] = [
  { type: "overloaded", task: { title: "Meet 529" }, before: 4 },
  { type: "timeout", task: doing("sleep 300"), where: () => misled },
  { type: "sandbox", task: doing("true"), about: { files: tooSmall } },
  { type: "policy", task: { title: "Reach a model" }, where: () => misled },
];

const tasks = new Map<TaskFailureType, { id: string; loop: string; before: number }>();

beforeAll(async () => {
  const sim = await startModelSim({
    scenarioFor: [
      whenPrompt("Meet 529", { steps: [overloaded("forever")] }),
      whenPrompt("Go on for long", { steps: [writeFile("src/begun.txt", "begun\n"), think(300_000)] }),
    ],
  });
  atEnd(() => sim.close());
  [world, misled] = [await runningWorld(sim.url), await runningWorld("ftp://models.example.test")];
  await misled.place.config.patch({ OPENTIGER_RUN_TIMEOUT: "20s" }, "test");
  for (const { type, task, about, before = 0, where = () => world } of failures) {
    const made = await where().loop([task], about);
    const id = made.tasks[0]?.id ?? "";
    const tries = JSON.stringify(before === 0 ? {} : { [type]: before });
    await where().place.database.query("update tasks set tries = $2::jsonb where id = $1", [id, tries]);
    tasks.set(type, { id, loop: made.loop.id, before });
  }
  await Promise.all([workOff(world), workOff(misled)]);
}, patienceMs);

test.each(failures)(
  "a task that fails of the same again and again ends as the table says: $type",
  async ({ type, where = () => world }) => {
    await endedAs(where(), type, tasks.get(type) ?? { id: "", loop: "" });
  },
);

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
