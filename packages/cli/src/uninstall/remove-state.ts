import { existsSync, lstatSync, readdirSync, readlinkSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { EmbeddedPostgres } from "@opentiger/orchestrator";
import { stateFolder } from "@opentiger/sandbox";

/** Everything that openTiger puts into a state folder. */
const ourNames: ReadonlySet<string> = new Set([
  "instance",
  "sandboxes",
  "names",
  "c",
  "carriers",
  "supervisor",
  "images",
  "saved",
  "tools",
  "throwaways",
  "pool",
  "pool.json",
  "host",
  "clones",
  "postgres",
  "secrets",
  "sandboxd",
  "dispatcher",
  "server",
  "processes.json",
  "terminals",
  "repositories",
  "runs",
  "sessions",
]);

/** The folders of an instance outside of its state folder. */
export interface InstancePlaces {
  state: string;
  /** Where sockets are, if the state folder's path is too long for theirs. */
  sockets: string | null;
  /** Of the embedded database, where it is not in the state folder. */
  database: string | null;
}

/** Looks only; without an instance there is nothing. */
export function instancePlaces(env: NodeJS.ProcessEnv): InstancePlaces | undefined {
  const state = stateFolder(env);
  if (!existsSync(join(state, "instance"))) return undefined;
  const { folder, owner } = new EmbeddedPostgres(env).place;
  return {
    state,
    sockets: linkIn(join(state, "carriers")),
    database: owner === "root" && existsSync(folder) ? folder : null,
  };
}

/**
 * Removes everything of an instance that nobody runs any more: its database, its sockets, its state folder. What somebody
 * else has put into that folder stays, and so does the folder then.
 */
export async function removeState(env: NodeJS.ProcessEnv): Promise<InstancePlaces | undefined> {
  const places = instancePlaces(env);
  if (!places) return undefined;
  await new EmbeddedPostgres(env).remove();
  removeSockets(env);
  for (const name of readdirSync(places.state))
    if (isOurs(name)) rmSync(join(places.state, name), { recursive: true, force: true });
  if (readdirSync(places.state).length === 0) rmdirSync(places.state);
  return places;
}

/** Of a state folder that nobody uses: where they are depends on its path, so they do not move with it. */
export function removeSockets(env: NodeJS.ProcessEnv): void {
  const state = stateFolder(env);
  for (const path of [linkIn(join(state, "carriers")), join(state, "c"), join(state, "carriers")])
    if (path !== null) rmSync(path, { recursive: true, force: true });
}

/** In the state folder, and not ours: whoever set OPENTIGER_HOME to a folder with more in it keeps that. */
export function foreignNames(state: string): string[] {
  return readdirSync(state).filter((name) => !isOurs(name));
}

function isOurs(name: string): boolean {
  return ourNames.has(name) || name.startsWith("opentiger.") || name.endsWith(".tmp");
}

function linkIn(path: string): string | null {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : null;
}
