import { rm } from "node:fs/promises";
import type { Place } from "../../place.ts";
import {
  type ArtifactRow,
  artifactBytes,
  expiredArtifacts,
  forgetArtifacts,
  oldestArtifacts,
} from "../../state/artifacts.ts";
import type { CleanOptions } from "./clean-options.ts";

/** So many are removed before it is looked again. */
const batchSize = 100;

/** Removes the artifacts whose time is over, and then the oldest until all together take no more than they may. */
export async function boundArtifacts(place: Place, { signal }: CleanOptions = {}): Promise<void> {
  const { database, config } = place;
  for (let batch = await expiredArtifacts(database, batchSize); batch.length > 0; ) {
    await remove(place, batch);
    if (signal?.aborted) return;
    batch = await expiredArtifacts(database, batchSize);
  }
  const most = config.get("OPENTIGER_ARTIFACTS_SIZE");
  for (let excess = (await artifactBytes(database)) - most; excess > 0 && !signal?.aborted; ) {
    const removed: ArtifactRow[] = [];
    for (const artifact of await oldestArtifacts(database, batchSize)) {
      if (excess <= 0) break;
      removed.push(artifact);
      excess -= artifact.bytes;
    }
    if (removed.length === 0) return;
    await remove(place, removed);
  }
}

/** The file first: a row without one is removed the next time, a file without a row by nobody. */
async function remove({ database }: Place, artifacts: readonly ArtifactRow[]): Promise<void> {
  for (const { path } of artifacts) await rm(path, { force: true });
  await forgetArtifacts(
    database,
    artifacts.map(({ id }) => id),
  );
}
