import { addTask, cancelLoop, Dispatcher, type LoopRow, type NewTask } from "@opentiger/orchestrator";
import { openState } from "@opentiger/sandbox";
import type { PlannedTask, ProjectFile } from "@opentiger/schema";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { docker } from "../setup/docker.ts";
import { type LoopWorld, loopWorld, plannedTask, userRepository } from "../setup/loop-world.ts";
import { quickAgent, quickAgents } from "../setup/quick-agent.ts";
import { runningDispatcher } from "../setup/running-dispatcher.ts";
import { soak } from "../setup/soak.ts";
import { seldomMs, until } from "../setup/until.ts";

const patienceMs = 120_000;
const timeoutMs = 2 * patienceMs;

let world: LoopWorld;
let dispatcher: Dispatcher | undefined;

beforeAll(async () => {
  world = await loopWorld([]);
  await world.place.config.patch({ OPENTIGER_AGENT_COMMAND: [...quickAgent] }, "test");
});

afterEach(() => dispatcher?.stop());

/** Its first task goes on until it is cancelled; the others wait for it. */
const kept: readonly PlannedTask[] = [
  plannedTask("keep", { title: "Keep at it" }),
  plannedTask("one", { needs: ["keep"] }),
  plannedTask("two", { needs: ["keep"] }),
];

const setUp = { setup: ["mkdir -p node_modules && date > node_modules/made"] };

/** Those of a plain image are also seen below. */
const images: [string, Partial<ProjectFile>][] = [
  ["prepared image", setUp],
  ...(soak ? [["plain image", {}] satisfies [string, Partial<ProjectFile>]] : []),
];

describe.each(images)("B6 sandboxes of a %s", (_name, project) => {
  test(
    "are ready before their tasks, become theirs, are made up for, and go with the loop",
    async () => {
      dispatcher = Dispatcher.start(world.place);
      const loop = await start(project);
      await ready(loop);

      const before = parked();
      await addTask(world.place, loop.id, written("three"));
      const name = `loop-${loop.id}-shell-4`;
      const own = await until("the task has its sandbox", () => idOf(name), patienceMs);
      expect(before).toContain(own);
      await until("the one that was taken is replaced", () => parked().length === 2, patienceMs);
      await until(
        "the task is done",
        async () => (await world.tasks(loop.id))[3]?.state === "done",
        patienceMs,
      );

      await cancelLoop(world.place.database, loop.id);
      await nothingIsLeft();
    },
    timeoutMs,
  );
});

test(
  "B6 those of a loop that ended while nobody looked are removed by the next dispatcher, whole or half made",
  async () => {
    const process = runningDispatcher(world.env);
    const ended = await start();
    await until("one is ready", () => parked().length > 0, patienceMs);
    await process.kill();
    await cancelLoop(world.place.database, ended.id);
    await process.killAndStart();
    await nothingIsLeft();

    const killed = await start(setUp);
    await until("one is being made", () => beingMade().length > 0, patienceMs);
    await process.kill();
    await cancelLoop(world.place.database, killed.id);
    await process.killAndStart();
    await nothingIsLeft();
    await process.stop();
  },
  timeoutMs,
);

test(
  "none is made where none is wanted, and those that are there go",
  async () => {
    const { config } = world.place;
    dispatcher = Dispatcher.start(world.place);
    const loop = await start();
    await ready(loop);
    await config.patch({ OPENTIGER_POOL_SIZE: 0 }, "test");
    await until("none is ready", () => parked().length === 0, patienceMs);
    await addTask(world.place, loop.id, written("three"));
    await until(
      "the task is done",
      async () => (await world.tasks(loop.id))[3]?.state === "done",
      patienceMs,
    );
    expect(parked()).toEqual([]);
    await config.patch({ OPENTIGER_POOL_SIZE: null }, "test");
    await cancelLoop(world.place.database, loop.id);
    await nothingIsLeft();
  },
  timeoutMs,
);

async function start(project: Partial<ProjectFile> = {}): Promise<LoopRow> {
  const repository = userRepository({ "README.md": "empty\n", ".gitignore": "node_modules/\n" });
  return world.start(repository, kept, {
    environment: "sandbox",
    agents: quickAgents,
    project: { verify: [{ command: "true" }], ...project },
  });
}

/** As many as may be, and the loop runs. */
async function ready(loop: LoopRow): Promise<void> {
  const isRunning = async () => (await world.tasks(loop.id))[0]?.state === "running";
  await until("two are ready", async () => parked().length === 2 && (await isRunning()), patienceMs);
}

function written(key: string): NewTask {
  return { ...plannedTask(key), needs: [] };
}

function records() {
  return openState(world.home).records.list().records;
}

/** The ids of those that wait for a task. */
function parked(): string[] {
  return records().flatMap(({ id, state }) => (state === "parked" ? [id] : []));
}

function beingMade(): string[] {
  return records().flatMap(({ id, state, name }) =>
    state === "creating" && name.startsWith("parked-") ? [id] : [],
  );
}

function idOf(name: string): string | undefined {
  return records().find((record) => record.name === name && record.state === "adopted")?.id;
}

async function nothingIsLeft(): Promise<void> {
  const label = `label=opentiger.instance=${openState(world.home).instance}`;
  await until(
    "B6 no container of the loop is left",
    async () => (await docker("ps", "--all", "--quiet", "--filter", label)) === "",
    patienceMs,
    seldomMs,
  );
  expect(parked()).toEqual([]);
}
