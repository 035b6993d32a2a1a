import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { EmbeddedPostgres, type LoopRow, listRuns } from "@opentiger/orchestrator";
import type { ExecutionEnvironment } from "@opentiger/schema";
import { z } from "zod";
import { LoopRepository } from "../../packages/orchestrator/src/git/repository.ts";
import { findRepository } from "../../packages/orchestrator/src/state/repositories.ts";
import { allRows } from "../../packages/orchestrator/src/state/rows.ts";
import { docker } from "../setup/docker.ts";
import type { LoopWorld } from "../setup/loop-world.ts";
import { processesNaming } from "../setup/processes-of.ts";

/** What a kill left half done is collected after the loop's end, within moments or a minute. */
export const tidyMs = 120_000;

/**
 * All that nobody needs any more after a loop's end: sandboxes and their files, pins, rows that are open, and notes of its
 * runs.
 */
export async function leftOf(
  world: LoopWorld,
  environment: ExecutionEnvironment,
  loop: LoopRow,
): Promise<string[]> {
  return [
    ...(await sandboxes(world, environment)),
    ...(await containers(world)),
    ...sandboxFiles(world),
    ...(await pins(world, loop)),
    ...(await openRows(world, loop)),
    ...(await runFiles(world, loop)),
  ];
}

async function sandboxes(world: LoopWorld, environment: ExecutionEnvironment): Promise<string[]> {
  const backend = await world.place.backend(environment);
  const all = await backend.list({ parked: "shown" });
  return all.filter(({ own }) => own).map(({ name, status }) => `${name} (${status})`);
}

/** Also such as no record tells of any more. */
async function containers({ home, env }: LoopWorld): Promise<string[]> {
  const instance = readFileSync(join(home, "instance"), "utf8").trim();
  const engine = env["DOCKER_HOST"] === undefined ? [] : ["--host", env["DOCKER_HOST"]];
  const filter = ["--filter", `label=opentiger.instance=${instance}`];
  const format = ["--format", "container {{.Names}} ({{.Status}})"];
  const found = await docker(...engine, "ps", "--all", ...filter, ...format);
  return found.split("\n").filter((line) => line !== "");
}

/** Of the state folder, what there is for each sandbox. Beside the folders of their sockets, `c` has those of our processes. */
const ofSandboxes = ["sandboxes", "names", "supervisor", "c", "clones", "host"];
const isSandboxId = /^[0-9a-f]{12,16}$/;

function sandboxFiles({ home }: LoopWorld): string[] {
  return ofSandboxes.flatMap((folder) => {
    const path = join(home, folder);
    const names = existsSync(path) ? readdirSync(path) : [];
    const ours = names.filter((name) => folder !== "c" || isSandboxId.test(name));
    return ours.map((name) => `${folder}/${name}`);
  });
}

async function pins({ place }: LoopWorld, { id, repository }: LoopRow): Promise<string[]> {
  const known = await findRepository(place.database, repository);
  const all = known ? [...(await (await LoopRepository.open(place, known)).pins(id)).keys()] : [];
  return all.filter((name) => name !== "base" && name !== "branch").map((name) => `pin ${name}`);
}

async function openRows({ place }: LoopWorld, { id }: LoopRow): Promise<string[]> {
  const open = await allRows(
    place.database,
    z.object({ what: z.string() }),
    `select 'run ' || id as what from runs where loop_id = $1 and status = 'running'
     union all select 'stage ' || id from stages where loop_id = $1 and state <> 'ended'`,
    [id],
  );
  return open.map(({ what }) => what);
}

async function runFiles({ place: { database, folder } }: LoopWorld, { id }: LoopRow): Promise<string[]> {
  const artifacts = await allRows(
    database,
    z.object({ path: z.string() }),
    "select a.path from artifacts a join runs r on r.id = a.run_id where r.loop_id = $1",
    [id],
  );
  const kept = new Set(artifacts.map(({ path }) => path));
  const runs = (await listRuns(database, { loop: id, limit: 500 })).items;
  const files = runs.flatMap((run) => filesBelow(join(folder, "runs", run.id)));
  return files.filter((path) => !kept.has(path));
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

/** Locks of git that would keep the user from working in their own repository. */
export function locksIn(project: string): string[] {
  const names = readdirSync(join(project, ".git"), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".lock"));
}

/** Besides the one sandboxd and the one PostgreSQL there are, which stay for whoever comes next. */
export async function processesLeft(world: LoopWorld): Promise<string[]> {
  const sandboxd = (await world.sandboxd.status())?.pid;
  const database = postmaster(world);
  const found = [world.home, dataFolder(world)].flatMap(processesNaming);
  const others = found.filter(
    ({ pid, parent }) => ![sandboxd, database].includes(pid) && parent !== database,
  );
  return others.map(({ pid, command }) => `${pid} ${command}`);
}

/** The one that has the data now; undefined when none has. */
export function postmaster(world: LoopWorld): number | undefined {
  const file = join(dataFolder(world), "postmaster.pid");
  return existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : undefined;
}

function dataFolder({ env }: LoopWorld): string {
  return new EmbeddedPostgres(env).place.data;
}
