import { readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { withFileLock } from "@opentiger/sandbox";
import { errno } from "@opentiger/schema";
import { livePostmaster } from "./pid-files.ts";
import { instancesFolder, ownerOf } from "./place.ts";
import { stopServer } from "./stop.ts";

/**
 * Folders of root's instances whose state folder is gone, or is another instance by now. Nobody opens them any more; but a
 * state folder on a disk that is not mounted right now looks the same, so nothing is removed unasked.
 */
export function abandonedInstances(): string[] {
  return entries(instancesFolder)
    .map((id) => join(instancesFolder, id))
    .filter((folder) => isAbandoned(folder));
}

/** Ends servers that nobody can reach any more. Their data stay. */
export async function stopAbandoned(): Promise<void> {
  for (const folder of abandonedInstances()) {
    const data = join(folder, "data");
    if (livePostmaster({ data }) === undefined) continue;
    // Its owner may have come back while it was waited for.
    const stop = async () => isAbandoned(folder) && stopServer({ data }, "fast");
    await withFileLock(join(folder, "lock"), stop, { code: "database_unavailable" });
  }
}

/** Removes such a folder for good, with its data, where it is abandoned still. Only when the user asks for it. */
export async function removeAbandoned(folder: string): Promise<boolean> {
  if (!abandonedInstances().includes(folder)) return false;
  await withFileLock(join(folder, "lock"), () => stopServer({ data: join(folder, "data") }, "immediate"), {
    code: "database_unavailable",
  });
  rmSync(folder, { recursive: true, force: true });
  return true;
}

/** Where it cannot be seen whose it is, it is somebody's. */
function isAbandoned(folder: string): boolean {
  try {
    const owner = ownerOf(folder);
    return owner !== undefined && owner !== "" && instanceOf(owner) !== basename(folder);
  } catch {
    return false;
  }
}

/** undefined only where it is certain that there is none. */
function instanceOf(stateFolder: string): string | undefined {
  try {
    return readFileSync(join(stateFolder, "instance"), "utf8").trim();
  } catch (error) {
    if (errno(error) === "ENOENT") return undefined;
    throw error;
  }
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errno(error) === "ENOENT") return [];
    throw error;
  }
}
