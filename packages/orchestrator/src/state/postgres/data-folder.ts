import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  lchownSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { errno } from "@opentiger/schema";
import { OrchestratorError } from "../../errors.ts";
import { type DataMaking, initdb } from "./initdb.ts";
import type { UserIds } from "./passwd-files.ts";
import { ensurePassword, passwordLost, readPassword } from "./password.ts";
import type { PostgresPlace } from "./place.ts";

const unfinished = "unfinished-";

/**
 * Makes the data, where there are none. They are made aside and renamed when they are complete and on the disk, so that
 * a process killed meanwhile leaves nothing that looks like a database. The caller holds the instance's lock.
 */
export async function ensureData(place: PostgresPlace, making: DataMaking): Promise<void> {
  removeUnfinished(place.folder);
  if (existsSync(place.data)) {
    if (readPassword(place.passwordFile) === undefined) throw passwordLost(place);
    giveBack(place.data, making.program.user);
    return;
  }
  const { user } = making.program;
  const aside = mkdtempSync(join(place.folder, unfinished));
  try {
    const [data, password] = [join(aside, "data"), join(aside, "password")];
    writeFileSync(password, ensurePassword(place.passwordFile), { mode: 0o600 });
    if (user) for (const path of [aside, password]) chownSync(path, user.uid, user.gid);
    await initdb(data, password, making);
    renameSync(data, place.data);
    syncFolder(place.folder);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** Copied aside and renamed when all of it is there. The caller holds the instance's lock. */
export async function copyData(place: Pick<PostgresPlace, "folder" | "data">, from: string): Promise<void> {
  removeUnfinished(place.folder);
  if (existsSync(place.data)) {
    throw new OrchestratorError("already_exists", `there is a database in ${place.data} already`, {
      remedy: "another state folder may use it: see what it is before you move it away",
    });
  }
  const aside = mkdtempSync(join(place.folder, unfinished));
  try {
    await cp(from, join(aside, "data"), { recursive: true, verbatimSymlinks: true });
    chmodSync(join(aside, "data"), 0o700);
    renameSync(join(aside, "data"), place.data);
    syncFolder(place.folder);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/**
 * What a process left that was killed here. Its initdb may still be writing, which is why each has a folder of its own:
 * what cannot be removed now is removed the next time.
 */
function removeUnfinished(folder: string): void {
  for (const name of readdirSync(folder).filter((found) => found.startsWith(unfinished))) {
    try {
      rmSync(join(folder, name), { recursive: true, force: true });
    } catch (error) {
      if (errno(error) !== "ENOTEMPTY") throw error;
    }
  }
}

/** Data of another major version cannot be read, and PostgreSQL's own words for it do not say what to do. */
export function refuseOtherMajor({ data }: Pick<PostgresPlace, "data">, major: number): void {
  const found = versionOf(data);
  if (found === String(major)) return;
  throw new OrchestratorError(
    "database_other_version",
    `the data in ${data} are of PostgreSQL ${found}, and this openTiger brings PostgreSQL ${major}`,
    {
      remedy: `use the openTiger that made them; or serve them by a PostgreSQL ${found} of your own and set OPENTIGER_DATABASE_URL; or move ${data} away to begin anew`,
    },
  );
}

function versionOf(data: string): string {
  try {
    return readFileSync(join(data, "PG_VERSION"), "utf8").trim();
  } catch (cause) {
    throw new OrchestratorError("database_unavailable", `${data} is not a database of PostgreSQL`, {
      remedy: `move ${data} away to begin anew, or put the database back that was there`,
      cause,
    });
  }
}

/** By which PostgreSQL tells one database from every other, as the files say it. */
export function systemIdentifier(data: string): string | undefined {
  const bytes = Buffer.alloc(8);
  let file: number;
  try {
    file = openSync(join(data, "global", "pg_control"), "r");
  } catch (error) {
    if (errno(error) === "ENOENT") return undefined;
    throw error;
  }
  try {
    readSync(file, bytes, 0, bytes.length, 0);
  } finally {
    closeSync(file);
  }
  return bytes.readBigUInt64LE().toString();
}

/** The system user may have been made anew with another number; PostgreSQL refuses data that are not its user's. */
function giveBack(path: string, user: UserIds | undefined): void {
  if (!user || lstatSync(path).uid === user.uid) return;
  for (const entry of readdirSync(path, { recursive: true, encoding: "utf8" })) {
    lchownSync(join(path, entry), user.uid, user.gid);
  }
  lchownSync(path, user.uid, user.gid);
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
