import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { diskFloor } from "@opentiger/sandboxd";
import { type Check, type Finding, fail, ok, warn } from "./check.ts";
import type { Ward } from "./ward.ts";

/** A project with its set-up done, a few times over. */
const comfortableBytes = 10 * 1024 ** 3;

export const diskCheck: Check = {
  name: "disk",
  async look(ward) {
    const folders = new Map([[above(ward.folder), "the state"]]);
    const data = await engineFolder(ward);
    if (data !== undefined) folders.set(data, "the engine's data");
    return Promise.all([...folders].map(([folder, what]) => judge(folder, what, diskFloor(ward.env))));
  },
};

async function judge(folder: string, what: string, floor: number): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const message = `${gigabytes(free)} free for ${what} (${folder})`;
  const remedy = "free some: docker system df, docker sandbox ls, opentiger sandbox prune";
  if (free < floor)
    return fail(`${message}: below ${gigabytes(floor)} sandboxes are paused (OPENTIGER_DISK_FLOOR)`, remedy);
  return free < comfortableBytes ? warn(message, remedy) : ok(message);
}

/** undefined where that is another machine's, or may not be looked at. */
async function engineFolder(ward: Ward): Promise<string | undefined> {
  const facts = await ward.facts().catch(() => undefined);
  return facts?.location === "local" && existsSync(facts.dataFolder) ? facts.dataFolder : undefined;
}

/** The nearest one that is there. */
function above(folder: string): string {
  return existsSync(folder) || folder === dirname(folder) ? folder : above(dirname(folder));
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GB`;
}
