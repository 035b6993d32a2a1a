import { join } from "node:path";
import { DockerBackend } from "@opentiger/sandbox";
import { z } from "zod";
import { isThere } from "../../git/is-there.ts";
import { LoopRepository } from "../../git/repository.ts";
import type { Place } from "../../place.ts";
import { prunePrepared } from "../../project/prune-prepared.ts";
import { preparedByUse } from "../../state/prepared-images.ts";
import { allRows } from "../../state/rows.ts";
import type { CleanOptions } from "./clean-options.ts";
import { onceADay } from "./once-a-day.ts";

/** The time of this file says when that was: one below each repository, one below the state folder for the images. */
export const tidiedName = "opentiger.tidied";

/** Lets git drop from our repositories what no loop needs any more, each once a day. */
export async function tidyRepositories(place: Place, { signal }: CleanOptions = {}): Promise<void> {
  const known = await allRows(
    place.database,
    z.object({ id: z.string(), path: z.string() }),
    "select id, path from repositories order by path",
  );
  for (const repository of known) {
    if (signal?.aborted) return;
    const path = join(place.folder, "repositories", `${repository.id}.git`);
    if (!(await isThere(path))) continue;
    await onceADay(join(path, tidiedName), async () => {
      await (await LoopRepository.open(place, repository, signal)).tidy();
    });
  }
}

/** Holds prepared images to the size that they may have, also when none is made for long; once a day. */
export async function tidyPrepared(place: Place): Promise<void> {
  await onceADay(join(place.folder, tidiedName), async () => {
    // Where there is none, nobody has to have an engine.
    if ((await preparedByUse(place.database)).length === 0) return;
    const backend = await place.backend("sandbox");
    if (backend instanceof DockerBackend) await prunePrepared(place, backend);
  });
}
