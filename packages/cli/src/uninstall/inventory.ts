import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { EmbeddedPostgres, listRepositories, openPlace } from "@opentiger/orchestrator";
import { connectDocker, git, HostBackend, openState, SandboxError } from "@opentiger/sandbox";
import { vaultKeyFile } from "@opentiger/secrets";
import { z } from "zod";
import { instanceSockets } from "../instance/processes.ts";
import { isOurPlugin, pluginPath } from "../plugin/plugin-file.ts";
import { foreignNames, type InstancePlaces, instancePlaces } from "./remove-state.ts";

/** Everything of an instance, before any of it goes. */
export interface Inventory {
  processes: { name: string; pid: number }[];
  sandboxes: string[];
  /** Images with a project's set-up done, which this instance made. */
  images: string[];
  folders: string[];
  plugin: string | null;
  /** What stays, and how it is removed by hand. */
  stays: string[];
}

/** Looks at everything. undefined: there is no instance. Sandboxes of an engine that does not answer cannot be left behind. */
export async function takeInventory(env: NodeJS.ProcessEnv): Promise<Inventory | undefined> {
  const places = instancePlaces(env);
  if (!places) return undefined;
  const { running } = await instanceSockets(env);
  const postgres = await new EmbeddedPostgres(env).status();
  const branches = await branchesLeft(env, postgres.state);
  return {
    processes: [
      ...running.map(({ name, pid }) => ({ name, pid })),
      ...(postgres.state === "running" ? [{ name: "postgres", pid: postgres.pid }] : []),
    ],
    sandboxes: await sandboxNames(env, places),
    images: savedImages(places.state).filter(isPrepared),
    folders: [places.state, places.sockets, places.database].filter((path) => path !== null),
    plugin: isOurPlugin(pluginPath(env)) ? pluginPath(env) : null,
    stays: [...branches, ...staysOf(env, places)],
  };
}

async function sandboxNames(env: NodeJS.ProcessEnv, { state }: InstancePlaces): Promise<string[]> {
  const opened = openState(state);
  const host = (await new HostBackend(opened).list()).map(({ name }) => name);
  if (opened.records.list().records.length === 0) return host;
  const backend = await connectDocker({ env, warn: () => {} });
  const listed = await backend.list({ parked: "shown" }).catch((error: unknown) => {
    throw error instanceof SandboxError ? unreachable(error) : error;
  });
  return [...host, ...listed.filter(({ own }) => own).map(({ name }) => name)];
}

function unreachable(error: SandboxError): SandboxError {
  return new SandboxError(error.code, `the sandboxes of this instance cannot be removed: ${error.message}`, {
    remedy: error.remedy ?? "start the engine, then try again",
    cause: error,
  });
}

/** Images that were saved by hand are somebody's work. */
function isPrepared(reference: string): boolean {
  return reference.startsWith("opentiger/prepared:");
}

const note = z.object({ reference: z.string() });

/** Of all engines; those of another one than the present are looked for and not found. */
function savedImages(state: string): string[] {
  const folder = join(state, "saved");
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return files.flatMap((file) => {
    const read = note.safeParse(JSON.parse(readFileSync(join(folder, file), "utf8")));
    return read.success ? [read.data.reference] : [];
  });
}

/** Branches are results: they are nobody's to remove but the user's. */
async function branchesLeft(env: NodeJS.ProcessEnv, state: string): Promise<string[]> {
  if (state === "none") return [];
  const place = await openPlace(env, { program: "uninstall" }).catch(() => undefined);
  if (!place) return [];
  try {
    const repositories = await listRepositories(place.database, { limit: 1_000 });
    const found = await Promise.all(repositories.map(({ path }) => branchesIn(path)));
    return found.flat();
  } finally {
    await place.close();
  }
}

async function branchesIn(path: string): Promise<string[]> {
  if (!existsSync(path)) return [];
  const refs = await git(path, ["for-each-ref", "--format=%(refname:short)", "refs/heads/tiger/"]).catch(
    () => "",
  );
  const count = refs.split("\n").filter((line) => line !== "").length;
  if (count === 0) return [];
  const one = count === 1 ? "branch" : "branches";
  return [`${count} ${one} tiger/* in ${path}: git -C ${path} branch --list 'tiger/*'`];
}

function staysOf(env: NodeJS.ProcessEnv, { state, database }: InstancePlaces): string[] {
  const key = vaultKeyFile(env);
  const templates = savedImages(state).filter((reference) => !isPrepared(reference));
  const others = foreignNames(state);
  return [
    ...(existsSync(key) ? [`the vault's key, which other instances of yours may use: rm ${key}`] : []),
    ...(templates.length > 0 ? [`images that you saved: docker rmi ${templates.join(" ")}`] : []),
    "the worker image, which all instances share: docker rmi opentiger/worker",
    ...(database === null
      ? []
      : ["PostgreSQL's program files in /var/lib/opentiger/pg, which all instances share"]),
    ...(others.length > 0 ? [`what is not openTiger's in ${state}: ${others.join(", ")}`] : []),
  ];
}
