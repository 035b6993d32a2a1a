import { readFileSync } from "node:fs";
import { answer, finish, type ScenarioChoice, think, whenPrompt, writeFile } from "@opentiger/model-sim";
import { EmbeddedPostgres, listRuns } from "@opentiger/orchestrator";
import { expect, test } from "vitest";
import { type LoopWorld, loopWorld, mergedTasks, plannedTask, userRepository } from "../setup/loop-world.ts";
import { processesOf } from "../setup/processes-of.ts";
import { runningDispatcher } from "../setup/running-dispatcher.ts";
import { soak } from "../setup/soak.ts";
import { until } from "../setup/until.ts";

const taskCount = soak ? 20 : 12;
const kills = soak ? 200 : 6;
/** 200 kills must fall into work that goes on: as many loops as it takes. */
const killsALoop = soak ? 10 : 6;
/** Short enough for all of them to fall into a loop's work. */
const pauseMs = 3000;
const patienceMs = 600_000;
const tidyMs = 120_000;

const judge: ScenarioChoice = whenPrompt(/^You are the judge/, {
  steps: [answer({ judgement: "pass", summary: "It is there.", points: [] })],
});

const writer: ScenarioChoice = ({ prompt }) => {
  const key = /Write (task-\d+)/.exec(prompt)?.[1];
  if (key === undefined) return undefined;
  return { steps: [think(500), writeFile(`${key}.txt`, `${key}\n`), think(500), finish("It is written.")] };
};

test(
  `${taskCount} tasks, 4 at once, and ${kills} kills: each is done once, by an agent that was not started again`,
  async () => {
    const world = await loopWorld([judge, writer], { OPENTIGER_DATABASE_URL: undefined });
    for (let done = 0; done < kills; ) done += await oneLoop(world);
  },
  patienceMs * Math.ceil(kills / killsALoop),
);

/** Returns how many kills fell into it. */
async function oneLoop(world: LoopWorld): Promise<number> {
  const project = userRepository({ "check.sh": "true\n" });
  const tasks = Array.from({ length: taskCount }, (_, index) => plannedTask(`task-${index + 1}`));
  const before = world.sim.sessions().length;
  const loop = await world.start(project, tasks, { project: { verify: [{ command: "sh check.sh" }] } });
  const dispatcher = runningDispatcher(world.env);
  const victims = [() => dispatcher.killAndStart(), () => killSandboxd(world), () => killPostgres(world)];
  await until("agents work", async () => (await running(world, loop.id)) > 0, patienceMs);
  let killed = 0;
  for (; killed < killsALoop; killed += 1) {
    const pause = Math.random() * pauseMs;
    const from = performance.now();
    await until("it is time for a kill", () => performance.now() - from > pause);
    if ((await world.ended(loop.id, 0).catch(() => undefined)) !== undefined) break;
    await victims[killed % victims.length]?.();
  }
  const ended = await world.ended(loop.id, patienceMs);
  // What a kill left half done is collected after the loop's end, within moments or a minute.
  const tidied = until("no sandbox is left", async () => (await sandboxes(world)).length === 0, tidyMs);
  await tidied.catch(() => {});
  await dispatcher.stop();

  expect(ended.state).toBe("done");
  expect((await world.tasks(loop.id)).map(({ state }) => state)).toEqual(tasks.map(() => "done"));
  expect(mergedTasks(project, loop.id)).toEqual(tasks.map((_, index) => index + 1));
  const sessions = world.sim.sessions().slice(before);
  for (const { key } of tasks) {
    const own = sessions.filter(
      ({ prompts: [prompt = ""] }) => prompt.includes(`Write ${key}\n`) && !judged(prompt),
    );
    expect(
      own.map(({ prefixKept }) => prefixKept),
      key,
    ).toEqual([true]);
  }
  await nothingIsLeft(world);
  return killed;
}

function judged(prompt: string): boolean {
  return prompt.startsWith("You are the judge");
}

async function running(world: LoopWorld, loop: string): Promise<number> {
  return (await listRuns(world.place.database, { loop, status: "running" })).items.length;
}

async function killSandboxd({ sandboxd }: LoopWorld): Promise<void> {
  const status = await sandboxd.status().catch(() => undefined);
  if (status) process.kill(status.pid, "SIGKILL");
}

async function killPostgres({ env }: LoopWorld): Promise<void> {
  const file = `${new EmbeddedPostgres(env).place.data}/postmaster.pid`;
  process.kill(Number(readFileSync(file, "utf8").split("\n")[0]), "SIGKILL");
}

async function sandboxes(world: LoopWorld): Promise<string[]> {
  const docker = await world.place.backend("sandbox");
  const all = await docker.list({ parked: "shown" });
  return all.filter(({ own }) => own).map(({ name, status }) => `${name} (${status})`);
}

async function nothingIsLeft(world: LoopWorld): Promise<void> {
  expect(await sandboxes(world)).toEqual([]);
  const ours = processesOf(`OPENTIGER_HOME=${world.home}`).filter(
    ({ command }) => !/postgres|sandboxd/.test(command),
  );
  expect(ours).toEqual([]);
}
