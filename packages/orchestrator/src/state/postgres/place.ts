import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openState, socketFolder, stateFolder, writeAtomically } from "@opentiger/sandbox";
import { errno } from "@opentiger/schema";
import { OrchestratorError } from "../../errors.ts";
import type { UserIds } from "./passwd-files.ts";

/** Where one instance's PostgreSQL has what. */
export interface PostgresPlace {
  /** root: PostgreSQL refuses to be root's, so it is a system user's and lies where that one can reach it. */
  readonly owner: "root" | "self";
  readonly stateFolder: string;
  /** Below the state folder, and of the user who runs openTiger alone. */
  readonly passwordFile: string;
  readonly log: string;
  /** One folder of program files a version. */
  readonly programs: string;
  /** Of this instance alone, with its lock, its data and as root its socket. */
  readonly folder: string;
  readonly lock: string;
  readonly data: string;
  /** Short enough for a socket's path, and closed to everybody else. */
  readonly socketFolder: string;
}

/** In whose folders `root` instances are; they share the program files and nothing else. */
export const rootFolder = "/var/lib/opentiger/pg";

/** One folder an instance, by its id. */
export const instancesFolder = join(rootFolder, "instances");

/** In the folder of an instance of root's: which state folder it belongs to. */
const ownerFile = "state-folder";

export function postgresPlace(env: NodeJS.ProcessEnv = process.env): PostgresPlace {
  const state = openState(stateFolder(env));
  const own = join(state.folder, "postgres");
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const kept = { stateFolder: state.folder, passwordFile: join(own, "password"), log: join(own, "log") };
  if (process.getuid?.() !== 0) {
    const socket = join(socketFolder(state.folder), "pg");
    return { owner: "self", ...kept, programs: own, ...instanceFolder(own), socketFolder: socket };
  }
  refuseSecondDatabase(state.folder, join(own, "data"));
  const folder = join(instancesFolder, state.instance);
  const socket = join(folder, "socket");
  return { owner: "root", ...kept, programs: rootFolder, ...instanceFolder(folder), socketFolder: socket };
}

/** Makes the folders. Afterwards only this user, or as root only the system user, enters those of data and socket. */
export function ensureFolders(place: PostgresPlace, user: UserIds | undefined): void {
  if (!user) {
    mkdirSync(place.socketFolder, { recursive: true, mode: 0o700 });
    return;
  }
  ensureRootFolder(place.folder);
  if (ownerOf(place.folder) !== place.stateFolder)
    writeAtomically(join(place.folder, ownerFile), place.stateFolder);
  mkdirSync(place.socketFolder, { recursive: true, mode: 0o700 });
  chownSync(place.socketFolder, user.uid, user.gid);
  chmodSync(place.socketFolder, 0o700);
}

/** The state folder to which a folder of root's instances belongs; undefined before that was written. */
export function ownerOf(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, ownerFile), "utf8");
  } catch (error) {
    if (errno(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** A folder of root's that others enter and cannot change, and so are those above it that are ours. */
export function ensureRootFolder(folder: string, top: string = dirname(rootFolder)): void {
  if (folder !== top) ensureRootFolder(dirname(folder), top);
  if (!existsSync(folder)) mkdirSync(folder, { recursive: folder === top });
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== 0) {
    throw new OrchestratorError("database_unavailable", `${folder} is not a folder of root's`, {
      remedy: `see what it is (ls -ld ${folder}) and move it away, or set OPENTIGER_DATABASE_URL`,
    });
  }
  if ((found.mode & 0o777) !== 0o755) chmodSync(folder, 0o755);
}

function instanceFolder(folder: string): Pick<PostgresPlace, "folder" | "lock" | "data"> {
  return { folder, lock: join(folder, "lock"), data: join(folder, "data") };
}

/** `sudo opentiger` in the state of another user would begin a second database beside theirs. */
function refuseSecondDatabase(folder: string, data: string): void {
  if (!existsSync(data)) return;
  const { uid } = lstatSync(data);
  throw new OrchestratorError("database_unavailable", `the database in ${data} is not root's (uid ${uid})`, {
    remedy: `work as that user, or set OPENTIGER_HOME to another folder than ${folder}`,
  });
}
