import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  type Stats,
} from "node:fs";
import { dirname } from "node:path";
import { errno } from "@opentiger/schema";
import { VaultError } from "../errors.ts";

/** Makes a folder of the vault if need be. Afterwards it is this user's and nobody else can enter it. */
export function ensurePrivateFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unusable(folder, error);
  }
  checkPrivateFolder(folder);
}

/** false when there is no such folder. Refuses one that is not this user's, or lies in one that is not. */
export function checkPrivateFolder(folder: string): boolean {
  return isPrivate(dirname(folder)) && isPrivate(folder);
}

/** On a folder in which everybody makes files and nobody removes another's. */
const stickyBit = 0o1000;

function isPrivate(folder: string): boolean {
  const found = lookUp(folder);
  if (!found) return false;
  if (!found.isDirectory()) throw refused(folder, "is not a folder");
  refuseForeign(folder, found);
  if ((found.mode & 0o077) === 0) return true;
  // A state folder is never such a one; closing it, as root can, would take it from everybody else.
  if ((found.mode & stickyBit) !== 0) throw refused(folder, "is shared by everybody");
  chmodSync(folder, 0o700);
  return true;
}

/** A file of this user's, opened; undefined when it is not there. A link is not followed: it could lead anywhere. */
export function openPrivateFile(path: string, flags: number): number | undefined {
  let file: number;
  try {
    file = openSync(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600);
  } catch (error) {
    if (errno(error) === "ENOENT") return undefined;
    throw unusable(path, error);
  }
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw refused(path, "is not a file");
    refuseForeign(path, found);
    if ((found.mode & 0o077) !== 0) fchmodSync(file, 0o600);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** undefined when the file is not there. */
export function readPrivateFile(path: string): Buffer | undefined {
  const file = openPrivateFile(path, constants.O_RDONLY);
  if (file === undefined) return undefined;
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** The uid whose files these must be. Root is nobody special here: the vault of another user stays that user's. */
export function ownUid(fallback: number): number {
  return process.getuid?.() ?? fallback;
}

/** What a file system answered, as one of our errors. */
export function unusable(path: string, cause: unknown): VaultError {
  const code = errno(cause);
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new VaultError("disk_full", `${path} cannot be written: no space left on the device`, {
      remedy: "free some space; nothing was changed",
      cause,
    });
  }
  return new VaultError("vault_refused", `${path} cannot be used (${code ?? String(cause)})`, {
    remedy: `see who owns it: ls -ld ${path}`,
    cause,
  });
}

function lookUp(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (errno(error) === "ENOENT") return undefined;
    throw unusable(path, error);
  }
}

function refuseForeign(path: string, { uid }: Stats): void {
  if (uid !== ownUid(uid)) throw refused(path, `belongs to another user (uid ${uid})`);
}

function refused(path: string, why: string): VaultError {
  return new VaultError("vault_refused", `${path} ${why}`, {
    remedy: "work as the user whose vault it is, or set OPENTIGER_HOME to a folder of your own",
  });
}
