import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { answer, finish, type ScenarioChoice, think, whenPrompt, writeFile } from "@opentiger/model-sim";
import { DispatcherClient, EmbeddedPostgres, type LoopRow, listRuns } from "@opentiger/orchestrator";
import type { ExecutionEnvironment } from "@opentiger/schema";
import { expect } from "vitest";
import { z } from "zod";
import { LoopRepository } from "../../packages/orchestrator/src/git/repository.ts";
import { findRepository } from "../../packages/orchestrator/src/state/repositories.ts";
import { allRows } from "../../packages/orchestrator/src/state/rows.ts";
import { ServerClient } from "../../packages/server/src/control/index.ts";
import { askServer } from "../setup/ask-server.ts";
import { atEnd } from "../setup/at-end.ts";
import { docker } from "../setup/docker.ts";
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
import { seldomMs, until } from "../setup/until.ts";

/** Short enough for all of a loop's kills to fall into its work. */
const pauseMs = 3000;
const tidyMs = 120_000;
export const patienceMs = 600_000;

/** Everything that works on loops, as `up` starts it, and what is killed of it, one after the other. */
export interface KilledLoops {
  world: LoopWorld;
  environment: ExecutionEnvironment;
  /** Processes of the host that claim, besides the dispatcher. */
  workers: readonly string[];
  victims: readonly Victim[];
  /** How many were killed so far. */
  killed: number;
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
  return { world, environment, workers, victims, killed: 0 };
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
  const loop = await world.start(project, tasks, {
    environment,
    project: { verify: [{ command: "sh check.sh" }] },
  });
  await until("agents work", async () => (await running(world, loop.id)) > 0, patienceMs);
  // The database may be what was just killed.
  const over = () => world.ended(loop.id, 0).catch(() => undefined);
  for (let kill = 0; kill < kills && (await killNext(loops, over)); kill += 1);
  const ended = await until("the loop ends", over, patienceMs, seldomMs);
  const left = () => leftOf(world, environment, ended);
  // What a kill left half done is collected after the loop's end, within moments or a minute.
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
    expect(
      own.map(({ prefixKept }) => prefixKept),
      key,
    ).toEqual([true]);
  }
  expect(await mostAtOnce(world, loop.id)).toBe(atOnce);
  expect(await left()).toEqual([]);
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

/** After a moment, once what the last kill took is there again: every kill is one. false: the loop is over. */
async function killNext(loops: KilledLoops, over: () => Promise<unknown>): Promise<boolean> {
  await delay(Math.random() * pauseMs);
  const { name, find, restart } = loops.victims[loops.killed % loops.victims.length] ?? nobody();
  const found = await until(`there is a ${name}, or nothing to do`, async () =>
    (await over()) ? "over" : find().catch(() => undefined),
  );
  if (found === "over") return false;
  process.kill(found, "SIGKILL");
  loops.killed += 1;
  await restart?.();
  return true;
}

function nobody(): never {
  throw new Error("there is nobody to kill");
}

/** Stops all that `up` started, after which nothing of it and no agent is there any more. */
export async function stopKilledLoops({ world, workers }: KilledLoops): Promise<void> {
  await new ServerClient(world.env).stop();
  for (const name of [undefined, ...workers]) await new DispatcherClient(world.env, name).stop();
  expect(processesLeft(world)).toEqual([]);
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

async function postgres({ env, place }: LoopWorld): Promise<number | undefined> {
  await place.database.query("select 1");
  const file = `${new EmbeddedPostgres(env).place.data}/postmaster.pid`;
  return Number(readFileSync(file, "utf8").split("\n")[0]);
}

async function sandboxes(world: LoopWorld, environment: ExecutionEnvironment): Promise<string[]> {
  const backend = await world.place.backend(environment);
  const all = await backend.list({ parked: "shown" });
  return all.filter(({ own }) => own).map(({ name, status }) => `${name} (${status})`);
}

/** Also such as no record tells of any more. */
async function containers({ home }: LoopWorld): Promise<string[]> {
  const instance = readFileSync(join(home, "instance"), "utf8").trim();
  const filter = `label=opentiger.instance=${instance}`;
  const found = await docker(
    "ps",
    "--all",
    "--filter",
    filter,
    "--format",
    "container {{.Names}} ({{.Status}})",
  );
  return found.split("\n").filter((line) => line !== "");
}

/** All that nobody needs any more after a loop's end: sandboxes, pins, rows that are open, and notes of its runs. */
async function leftOf(
  world: LoopWorld,
  environment: ExecutionEnvironment,
  { id, repository }: LoopRow,
): Promise<string[]> {
  const { database, folder } = world.place;
  const known = await findRepository(database, repository);
  const pins = known ? [...(await (await LoopRepository.open(world.place, known)).pins(id)).keys()] : [];
  const open = await allRows(
    database,
    z.object({ what: z.string() }),
    `select 'run ' || id as what from runs where loop_id = $1 and status = 'running'
     union all select 'stage ' || id from stages where loop_id = $1 and state <> 'ended'`,
    [id],
  );
  const artifacts = await allRows(
    database,
    z.object({ path: z.string() }),
    "select a.path from artifacts a join runs r on r.id = a.run_id where r.loop_id = $1",
    [id],
  );
  const kept = new Set(artifacts.map(({ path }) => path));
  const runs = (await listRuns(database, { loop: id, limit: 500 })).items;
  const files = runs.flatMap((run) => filesBelow(join(folder, "runs", run.id)));
  return [
    ...(await sandboxes(world, environment)),
    ...(await containers(world)),
    ...pins.filter((name) => name !== "base" && name !== "branch").map((name) => `pin ${name}`),
    ...open.map(({ what }) => what),
    ...files.filter((path) => !kept.has(path)),
  ];
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch {
    // Somebody is just removing them.
    return [folder];
  }
}

/** Besides PostgreSQL and sandboxd, which stay for whoever comes next. */
function processesLeft(world: LoopWorld): string[] {
  const ours = processesOf(world.home).map(({ command }) => command);
  return ours.filter((command) => !/postgres|sandboxd/.test(command));
}
