import { setTimeout as delay } from "node:timers/promises";
import { answer, finish, type ScenarioChoice, think, whenPrompt, writeFile } from "@opentiger/model-sim";
import { DispatcherClient, listRuns } from "@opentiger/orchestrator";
import type { ExecutionEnvironment } from "@opentiger/schema";
import { expect } from "vitest";
import { z } from "zod";
import { allRows } from "../../packages/orchestrator/src/state/rows.ts";
import { ServerClient } from "../../packages/server/src/control/index.ts";
import { askServer } from "../setup/ask-server.ts";
import { atEnd } from "../setup/at-end.ts";
import { checkoutState } from "../setup/checkout-state.ts";
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
import { seldomMs, until } from "../setup/until.ts";
import { leftOf, locksIn, postmaster, processesLeft, tidyMs } from "./left-behind.ts";

/** Short enough for all of a loop's kills to fall into its work. */
const pauseMs = 3000;
export const patienceMs = 600_000;

/** Everything that works on loops, as `up` starts it, and what is killed of it, one after the other. */
export interface KilledLoops {
  world: LoopWorld;
  environment: ExecutionEnvironment;
  /** Processes of the host that claim, besides the dispatcher. */
  workers: readonly string[];
  victims: readonly Victim[];
  /** What was killed so far. */
  kills: Kill[];
}

interface Kill {
  name: string;
  /** How many agents were at work just then. */
  agents: number;
}

interface Victim {
  name: string;
  /** Its process; none while it is not there, or has nothing to lose. */
  find(): Promise<number | undefined>;
  /** Nobody but we start it again. */
  restart?(): Promise<unknown>;
}

export async function startKilledLoops(
  environment: ExecutionEnvironment,
  workers: readonly string[] = [],
): Promise<KilledLoops> {
  const port = await freePort();
  const more = { OPENTIGER_DATABASE_URL: undefined, OPENTIGER_API_PORT: String(port) };
  const world = await loopWorld([judge, writer], more);
  const played = playedBy("codex", "gpt-5.5");
  await world.place.config.patch({ ...played, EXECUTION_ENVIRONMENT: environment }, "test");
  const opentiger = commandLine(world.env);
  for (const name of [undefined, ...workers]) atEnd(() => new DispatcherClient(world.env, name).stop());
  atEnd(() => new ServerClient(world.env).stop());
  const up = () => opentiger.json("up", "-d", "--json");
  await up();
  for (const name of workers)
    await askServer(`http://127.0.0.1:${port}`, `/system/processes/${name}/start`, { method: "POST" });
  const { env, sandboxd } = world;
  const victims: Victim[] = [
    ...workers.map((name) => ({ name, find: () => worker(env, name) })),
    { name: "server", find: () => pid(new ServerClient(env)), restart: up },
    // The server starts another one, as it does with workers.
    { name: "dispatcher", find: () => pid(new DispatcherClient(env)) },
    { name: "sandboxd", find: () => pid(sandboxd) },
    { name: "PostgreSQL", find: () => postgres(world) },
  ];
  return { world, environment, workers, victims, kills: [] };
}

/** One loop of so many tasks, and at most so many kills: each task is done once by one agent. */
export async function workOff(
  loops: KilledLoops,
  { taskCount, kills }: { taskCount: number; kills: number },
): Promise<void> {
  const { world, environment } = loops;
  const project = userRepository({ "check.sh": "true\n" });
  const tasks = Array.from({ length: taskCount }, (_, index) => plannedTask(`task-${index + 1}`));
  const before = world.sim.sessions().length;
  const checkout = checkoutState(project);
  const loop = await world.start(project, tasks, {
    environment,
    project: { verify: [{ command: "sh check.sh" }] },
  });
  await until("agents work", async () => (await running(world, loop.id)) > 0, patienceMs);
  // The database may be what was just killed.
  const over = () => world.ended(loop.id, 0).catch(() => undefined);
  const agents = () => agentsAtWork(world, loop.id).catch(() => 0);
  for (let kill = 0; kill < kills && (await killNext(loops, { over, agents })); kill += 1);
  const ended = await until("the loop ends", over, patienceMs, seldomMs);
  const left = () => leftOf(world, environment, ended);
  await until("nothing is left", async () => (await left()).length === 0, tidyMs).catch(() => {});

  const worked = await world.tasks(loop.id);
  const undone = worked.filter(({ state }) => state !== "done");
  expect(undone.map(({ number, state, detail }) => ({ number, state, detail }))).toEqual([]);
  expect(worked).toHaveLength(tasks.length);
  expect(ended.state, ended.detail ?? "").toBe("done");
  expect(mergedTasks(project, loop.id)).toEqual(tasks.map((_, index) => index + 1));
  const sessions = world.sim.sessions().slice(before);
  for (const { key } of tasks) {
    const own = sessions.filter(
      ({ prompts: [prompt = ""] }) => prompt.includes(`# Write ${key}\n`) && !judged(prompt),
    );
    // Who is started again in its conversation is told to go on.
    const seen = own.map(({ prefixKept, prompts }) => ({ prefixKept, prompts: prompts.length }));
    expect(seen, key).toEqual([{ prefixKept: true, prompts: 1 }]);
  }
  await oneRunEach(world, loop.id, tasks.length);
  expect(await mostAtOnce(world, loop.id)).toBe(atOnce);
  expect(await left()).toEqual([]);
  expect(checkoutState(project)).toEqual(checkout);
  expect(locksIn(project)).toEqual([]);
}

/** An agent that was adopted goes on in its run, and a second one would have another. */
async function oneRunEach({ place }: LoopWorld, loop: string, count: number): Promise<void> {
  const { items } = await listRuns(place.database, { loop, role: "worker", limit: 500 });
  const failed = items.filter(({ state }) => state !== "succeeded");
  expect(failed.map(({ task, state, failure }) => ({ task, state, failure }))).toEqual([]);
  expect(items).toHaveLength(count);
}

/** As many as are worked on at the same time where nobody sets anything else. */
const atOnce = 4;

/** How many agents were at work while one of them began. */
async function mostAtOnce({ place }: LoopWorld, loop: string): Promise<number> {
  const [row] = await allRows(
    place.database,
    z.object({ most: z.number() }),
    `select max(count)::int as most from (
       select count(*) from runs begun join runs r on r.loop_id = begun.loop_id and r.role = 'worker'
         and r.started_at <= begun.started_at and r.ended_at > begun.started_at
       where begun.loop_id = $1 and begun.role = 'worker' group by begun.id) counted`,
    [loop],
  );
  return row?.most ?? 0;
}

interface LoopNow {
  over(): Promise<unknown>;
  agents(): Promise<number>;
}

/**
 * After a moment, once what the last kill took is there again: every kill is one. The first of a dispatcher waits until
 * an agent works that somebody has to adopt; where there is none it shows nothing. false: the loop is over.
 */
async function killNext(loops: KilledLoops, { over, agents }: LoopNow): Promise<boolean> {
  await delay(Math.random() * pauseMs);
  const { kills, victims } = loops;
  const { name, find, restart } = victims[kills.length % victims.length] ?? nobody();
  const waits = name === "dispatcher" && !kills.some((kill) => kill.name === name);
  const found = await until(
    `there is a ${name}, or nothing to do`,
    async () => {
      if (await over()) return "over";
      const atWork = await agents();
      if (waits && atWork === 0) return undefined;
      const pid = await find().catch(() => undefined);
      return pid === undefined ? undefined : { pid, atWork };
    },
    patienceMs,
  );
  if (found === "over") return false;
  process.kill(found.pid, "SIGKILL");
  kills.push({ name, agents: found.atWork });
  await restart?.();
  return true;
}

function nobody(): never {
  throw new Error("there is nobody to kill");
}

/** Stops all that `up` started, after which nothing of it and no agent is there any more. */
export async function stopKilledLoops({ world, workers, kills }: KilledLoops): Promise<void> {
  await new ServerClient(world.env).stop();
  for (const name of [undefined, ...workers]) await new DispatcherClient(world.env, name).stop();
  const left = () => processesLeft(world);
  await until("nothing of it runs", async () => (await left()).length === 0, tidyMs).catch(() => {});
  expect(await left()).toEqual([]);
  const adopted = kills.filter(({ name, agents }) => name === "dispatcher" && agents > 0);
  expect(adopted, "agents worked when a dispatcher was killed").not.toEqual([]);
}

const judge: ScenarioChoice = whenPrompt(/^You are the judge/m, {
  steps: [answer({ judgement: "pass", summary: "It is there.", points: [] })],
});

const writer: ScenarioChoice = ({ prompt }) => {
  const key = /Write (task-\d+)/.exec(prompt)?.[1];
  if (key === undefined) return undefined;
  return { steps: [think(500), writeFile(`${key}.txt`, `${key}\n`), think(500), finish("It is written.")] };
};

function judged(prompt: string): boolean {
  return /^You are the judge/m.test(prompt);
}

async function agentsAtWork(world: LoopWorld, loop: string): Promise<number> {
  const { items } = await listRuns(world.place.database, { loop, status: "running" });
  return items.filter(({ execId }) => execId !== null).length;
}

async function running(world: LoopWorld, loop: string): Promise<number> {
  return (await listRuns(world.place.database, { loop, status: "running" })).items.length;
}

async function pid(process: { status(): Promise<{ pid: number } | undefined> }): Promise<number | undefined> {
  return (await process.status())?.pid;
}

async function worker(env: NodeJS.ProcessEnv, name: string): Promise<number | undefined> {
  const status = await new DispatcherClient(env, name).status();
  return status && status.working > 0 ? status.pid : undefined;
}

async function postgres(world: LoopWorld): Promise<number | undefined> {
  await world.place.database.query("select 1");
  return postmaster(world);
}
