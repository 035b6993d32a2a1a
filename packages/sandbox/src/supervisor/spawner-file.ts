import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { insidePaths } from "../protocol/paths.ts";
import type { Isolation } from "./config.ts";

/**
 * The spawner's file, where there is one that nobody but root can have written. Where the agent is root that is the
 * one on the read-only mount; else the image's own, if it and every folder above it are root's alone.
 */
export function spawnerFile(isolation: Isolation): string | undefined {
  if (isolation === "none") return undefined;
  try {
    const file = realpathSync(isolation === "agent-root" ? insidePaths.mountedSpawner : insidePaths.spawner);
    accessSync(file, constants.X_OK);
    return isolation === "agent-root" || isRootsAlone(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

function isRootsAlone(path: string): boolean {
  const { uid, mode } = statSync(path);
  if (uid !== 0 || (mode & 0o022) !== 0) return false;
  return path === "/" || isRootsAlone(dirname(path));
}
