import type { DockerBackend } from "@opentiger/sandbox";
import type { Place } from "../place.ts";
import {
  forgetPrepared,
  lockUnused,
  type PreparedImageRow,
  preparedByUse,
} from "../state/prepared-images.ts";
import { showingLife } from "../state/transaction.ts";

/** Whoever asked for an image within this time may be about to make a sandbox of it. */
const justUsedMs = 600_000;

type Engine = Pick<DockerBackend, "images" | "imageId">;

/**
 * Removes prepared images, the one that was not used for longest first, until those that stay take no more disk than they
 * may; and forgets those that are gone anyway. Those of a base whose name means another image by now go in any case: nobody
 * asks for them again, and they keep all of that base on the disk, which no size of theirs tells. One that a sandbox uses
 * stays, and so does one that was just asked for.
 */
export async function prunePrepared(
  { database, config, log }: Pick<Place, "database" | "config" | "log">,
  engine: Engine,
  kept?: string,
): Promise<void> {
  const rows = await preparedByUse(database);
  let bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  const most = config.get("OPENTIGER_PREPARED_SIZE");
  const before = Date.now() - justUsedMs;
  const replaced = await replacedBases(engine, rows);
  for (const row of rows) {
    if (row.key === kept || row.usedAt.getTime() > before) continue;
    const isThere = (await engine.images.find(row.reference)) !== undefined;
    const isOutdated = row.baseId !== null && replaced.has(row.baseId);
    if (isThere && !isOutdated && bytes <= most) continue;
    if (!(await removeUnused({ database }, engine, row))) continue;
    bytes -= row.bytes;
    const why = isOutdated ? "what it was made from was replaced" : `prepared images may take ${most} bytes`;
    if (isThere) log(`removed the prepared image ${row.reference}: ${why}`);
  }
}

/** Of these, the images whose name the engine has for another one now, or for none. */
async function replacedBases(engine: Engine, rows: readonly PreparedImageRow[]): Promise<Set<string>> {
  const bases = new Map(rows.map(({ baseId, baseReference }) => [baseId, baseReference]));
  const replaced = new Set<string>();
  for (const [id, reference] of bases) {
    if (id === null || reference === null) continue;
    if ((await engine.imageId(reference)) !== id) replaced.add(id);
  }
  return replaced;
}

/**
 * Image and row go together, and nobody is given the one between the two. A process that dies here leaves the row, and so
 * the image is looked at again.
 */
async function removeUnused(
  { database }: Pick<Place, "database">,
  { images }: Engine,
  row: PreparedImageRow,
): Promise<boolean> {
  return database.transaction(async (on) => {
    if (!(await lockUnused(on, row))) return false;
    const isGone = await showingLife(
      on,
      async () => (await images.remove(row.reference)) || (await images.find(row.reference)) === undefined,
    );
    if (isGone) await forgetPrepared(on, row);
    return isGone;
  });
}
