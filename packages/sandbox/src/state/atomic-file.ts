import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { errno } from "@opentiger/schema";
import { SandboxError } from "../errors.ts";

/** Readers see the old text or the new one, never a part, and after a power cut one of the two is there. */
export function writeAtomically(path: string, text: string): void {
  withTemporary(path, text, (temporary) => renameSync(temporary, path));
}

/** Writes the file unless it is there already: of many writers exactly one wins. Says whether it was this one. */
export function writeOnce(path: string, text: string): boolean {
  return withTemporary(path, text, (temporary) => {
    try {
      linkSync(temporary, path);
      return true;
    } catch (error) {
      if (errno(error) === "EEXIST") return false;
      throw error;
    }
  });
}

function withTemporary<T>(path: string, text: string, publish: (temporary: string) => T): T {
  const temporary = `${path}.${process.pid}-${randomBytes(4).toString("hex")}.tmp`;
  try {
    writeDurably(temporary, text);
    const published = publish(temporary);
    syncFolder(dirname(path));
    return published;
  } catch (error) {
    throw errno(error) === "ENOSPC" || errno(error) === "EDQUOT" ? full(path, error) : error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

function writeDurably(path: string, text: string): void {
  const file = openSync(path, "wx", 0o600);
  try {
    // All of it or an error, where a single write may stop at the start of it.
    writeFileSync(file, text);
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

function full(path: string, cause: unknown): SandboxError {
  return new SandboxError("disk_full", `${path} cannot be written: no space left on the device`, {
    remedy: "free some space, for example with `opentiger sandbox prune` and `docker system prune`",
    cause,
  });
}
