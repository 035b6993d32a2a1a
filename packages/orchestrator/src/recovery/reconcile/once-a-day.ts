import { stat, writeFile } from "node:fs/promises";
import { errno } from "@opentiger/schema";

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Does the work when it was not done for a day, by the time of this file, which is set before it is begun: what fails is
 * not tried again at once. A day is counted from when somebody first looks.
 */
export async function onceADay(stamp: string, work: () => Promise<void>): Promise<void> {
  const last = await changedAt(stamp);
  if (last !== undefined && Date.now() - last < dayMs) return;
  await writeFile(stamp, "", { mode: 0o600 });
  if (last !== undefined) await work();
}

async function changedAt(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (errno(error) === "ENOENT") return undefined;
    throw error;
  }
}
