import { constants } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errno } from "@opentiger/schema";
import type { ReadFile } from "./detect/project-files.ts";

/** What was installed or built, and what is git's own: none of it says what the project is. */
const passedOver = new Set([
  ".git",
  "node_modules",
  ".venv",
  "venv",
  "vendor",
  "target",
  "dist",
  "build",
  ".next",
  "__pycache__",
]);

const maxFiles = 50_000;
const maxDepth = 12;
const maxBytes = 4 * 1024 * 1024;

/** The files below a folder, as detection sees them. Links are passed over: they may lead anywhere. */
export async function folderFiles(folder: string): Promise<string[]> {
  const names: string[] = [];
  const waiting = [{ path: "", depth: 0 }];
  for (let next = waiting.shift(); next && names.length < maxFiles; next = waiting.shift()) {
    const { path, depth } = next;
    for (const entry of await readdir(join(folder, path), { withFileTypes: true }).catch(() => [])) {
      const name = path === "" ? entry.name : `${path}/${entry.name}`;
      if (entry.isFile()) names.push(name);
      else if (entry.isDirectory() && depth < maxDepth && !passedOver.has(entry.name)) {
        waiting.push({ path: name, depth: depth + 1 });
      }
    }
  }
  return names.toSorted();
}

/** Without waiting for whoever writes into a pipe. */
const atOnce = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export function readIn(folder: string): ReadFile {
  return async (path) => {
    const file = await open(join(folder, path), atOnce).catch(() => undefined);
    if (!file) return undefined;
    try {
      const found = await file.stat();
      return found.isFile() && found.size <= maxBytes ? await file.readFile() : undefined;
    } finally {
      await file.close();
    }
  };
}

/** The top of the repository that a folder lies in; undefined where it lies in none. */
export async function repositoryTop(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    if (await exists(join(at, ".git"))) return at;
    if (dirname(at) === at) return undefined;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errno(error) === "ENOENT" || errno(error) === "ENOTDIR") return false;
    throw error;
  }
}
