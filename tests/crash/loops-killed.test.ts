import { readFileSync } from "node:fs";
import { answer, finish, type ScenarioChoice, think, whenPrompt, writeFile } from "@opentiger/model-sim";
import { DispatcherClient, EmbeddedPostgres, listRuns } from "@opentiger/orchestrator";
import { expect, test } from "vitest";
import { z } from "zod";
import { ServerClient } from "../../packages/server/src/control/index.ts";
import { atEnd } from "../setup/at-end.ts";
import { freePort } from "../setup/free-port.ts";
import { commandLine } from "../setup/loop-command-line.ts";
import {
  type LoopWorld,
  loopWorld,
  mergedTasks,
  plannedTask,
  playedBy,
  userRepository,
} from "../setup/loop-world.ts";
import { processesOf } from "../setup/processes-of.ts";
import { soak } from "../setup/soak.ts";
import { until } from "../setup/until.ts";

const taskCount = 20;
const kills = soak ? 200 : 10;
/** 200 kills must fall into work that goes on: as many loops as it takes. */
const killsALoop = 10;
/** Short enough for all of them to fall into a loop's work. */
const pauseMs = 3000;
const patienceMs = 600_000;
const tidyMs = 120_000;

const judge: ScenarioChoice = whenPrompt(/^You are the judge/m, {
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
    const more = { OPENTIGER_DATABASE_URL: undefined, OPENTIGER_API_PORT: String(await freePort()) };
    const world = await loopWorld([judge, writer], more);
    await world.place.config.patch(playedBy("codex", "gpt-5.5"), "test");
    const victims = await startAll(world);
    for (let done = 0; done < kills; ) done += await oneLoop(world, victims);
    await new ServerClient(world.env).stop();
    await new DispatcherClient(world.env).stop();
    expect(processesLeft(world)).toEqual([]);
  },
  patienceMs * Math.ceil(kills / killsALoop),
);

/** What works on loops, as `up` starts it, and how each of it is killed. */
async function startAll(world: LoopWorld): Promise<(() => Promise<void>)[]> {
  const opentiger = commandLine(world.env);
  atEnd(() => new DispatcherClient(world.env).stop());
  atEnd(() => new ServerClient(world.env).stop());
  const up = async (): Promise<number> =>
    z.object({ pid: z.number() }).parse(await opentiger.json("up", "-d", "--json")).pid;
  let server = await up();
  return [
    async () => {
      process.kill(server, "SIGKILL");
      server = await up();
    },
    // The server starts another one.
    () => killWhenThere("dispatcher", () => new DispatcherClient(world.env).status()),
    () => killWhenThere("sandboxd", () => world.sandboxd.status()),
    () => killPostgres(world),
  ];
}

/** Returns how many kills fell into it. */
async function oneLoop(world: LoopWorld, victims: readonly (() => Promise<void>)[]): Promise<number> {
  const project = userRepository({ "check.sh": "true\n" });
  const tasks = Array.from({ length: taskCount }, (_, index) => plannedTask(`task-${index + 1}`));
  const before = world.sim.sessions().length;
  const loop = await world.start(project, tasks, { project: { verify: [{ command: "sh check.sh" }] } });
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

  expect(ended.state).toBe("done");
  expect((await world.tasks(loop.id)).map(({ state }) => state)).toEqual(tasks.map(() => "done"));
  expect(mergedTasks(project, loop.id)).toEqual(tasks.map((_, index) => index + 1));
  const sessions = world.sim.sessions().slice(before);
  for (const { key } of tasks) {
    const own = sessions.filter(
      ({ prompts: [prompt = ""] }) => prompt.includes(`# Write ${key}\n`) && !judged(prompt),
    );
    expect(
      own.map(({ prefixKept }) => prefixKept),
      key,
    ).toEqual([true]);
  }
  expect(await sandboxes(world)).toEqual([]);
  return killed;
}

function judged(prompt: string): boolean {
  return /^You are the judge/m.test(prompt);
}

async function running(world: LoopWorld, loop: string): Promise<number> {
  return (await listRuns(world.place.database, { loop, status: "running" })).items.length;
}

/** What the last kill took is there again first: every kill is one. */
async function killWhenThere(name: string, ask: () => Promise<{ pid: number } | undefined>): Promise<void> {
  const { pid } = await until(`there is a ${name}`, () => ask().catch(() => undefined));
  process.kill(pid, "SIGKILL");
}

async function killPostgres({ env, place }: LoopWorld): Promise<void> {
  const answers = () => place.database.query("select 1").then(({ count }) => count === 1);
  await until("the database answers", () => answers().catch(() => false));
  const file = `${new EmbeddedPostgres(env).place.data}/postmaster.pid`;
  process.kill(Number(readFileSync(file, "utf8").split("\n")[0]), "SIGKILL");
}

async function sandboxes(world: LoopWorld): Promise<string[]> {
  const docker = await world.place.backend("sandbox");
  const all = await docker.list({ parked: "shown" });
  return all.filter(({ own }) => own).map(({ name, status }) => `${name} (${status})`);
}

/** Besides PostgreSQL and sandboxd, which stay for whoever comes next. */
function processesLeft(world: LoopWorld): string[] {
  const ours = processesOf(`OPENTIGER_HOME=${world.home}`).map(({ command }) => command);
  return ours.filter((command) => !/postgres|sandboxd/.test(command));
}
