import type { DockerBackend } from "@opentiger/sandbox";
import type { Place } from "../place.ts";
import { forgetPrepared, preparedByUse } from "../state/prepared-images.ts";

/** Whoever asked for an image within this time may be about to make a sandbox of it. */
const justUsedMs = 600_000;

/**
 * Removes prepared images, the one that was not used for longest first, until those that stay take no more disk than they
 * may; and forgets those that are gone anyway. One that a sandbox uses stays, and so does one that was just asked for.
 */
export async function prunePrepared(
  { database, config, log }: Pick<Place, "database" | "config" | "log">,
  backend: DockerBackend,
  kept?: string,
): Promise<void> {
  const rows = await preparedByUse(database);
  let bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  const most = config.get("OPENTIGER_PREPARED_SIZE");
  const before = Date.now() - justUsedMs;
  for (const row of rows) {
    if (row.key === kept || row.usedAt.getTime() > before) continue;
    const isThere = (await backend.images.find(row.reference)) !== undefined;
    if (isThere && bytes <= most) continue;
    if (isThere && !(await backend.images.remove(row.reference))) continue;
    await forgetPrepared(database, row);
    bytes -= row.bytes;
    if (isThere) log(`removed the prepared image ${row.reference}: prepared images may take ${most} bytes`);
  }
}
