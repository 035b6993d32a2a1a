import { statfs } from "node:fs/promises";
import type { Place } from "../place.ts";

/** What is free on the disk where the engine keeps its data; undefined where that cannot be seen from here. */
export async function freeBytes({ facts }: Pick<Place, "facts">): Promise<number | undefined> {
  if (facts.location !== "local") return undefined;
  try {
    const { bavail, bsize } = await statfs(facts.dataFolder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
