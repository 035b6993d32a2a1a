import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { errno } from "@opentiger/schema";
import { VaultError } from "../errors.ts";
import { unusable } from "./private-file.ts";

export const temporarySuffix = ".tmp";

/**
 * Writes a file that is not there yet: of many writers exactly one wins, readers see all of it or nothing, and after
 * a power cut the same is true. Says whether it was this writer. `isFree` is asked last, when all the slow work is done.
 */
export function writeNewFile(path: string, bytes: Uint8Array, isFree: () => boolean = () => true): boolean {
  const temporary = `${path}.${process.pid}-${randomBytes(4).toString("hex")}${temporarySuffix}`;
  try {
    writeDurably(temporary, bytes);
    if (!isFree()) return false;
    linkSync(temporary, path);
    syncFolder(dirname(path));
    return true;
  } catch (error) {
    if (errno(error) === "EEXIST") return false;
    throw error instanceof VaultError ? error : unusable(path, error);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function writeDurably(path: string, bytes: Uint8Array): void {
  const file = openSync(path, "wx", 0o600);
  try {
    writeFileSync(file, bytes);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The name itself is durable only when the folder is. Where a file system cannot do that, nothing is lost but that. */
function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, "r");
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch {
    // EINVAL on some network file systems.
  }
}
