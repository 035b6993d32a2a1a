import { readdir, stat } from "node:fs/promises";
import { errno } from "@opentiger/schema";

/** What is in a folder; nothing where it is not there. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errno(error) === "ENOENT") return [];
    throw error;
  }
}

/** In milliseconds. One that is gone has no age. */
export async function ageOf(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );
}
