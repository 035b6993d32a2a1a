import type { Place } from "../../place.ts";
import { boundArtifacts } from "./artifacts.ts";
import type { CleanOptions } from "./clean-options.ts";
import { removeConversations } from "./conversations.ts";
import { unpinEnded } from "./pins.ts";
import { cleanRunFolders } from "./run-folders.ts";
import { collectHalfDone, removeSandboxes } from "./sandboxes.ts";
import { tidyPrepared, tidyRepositories } from "./tidying.ts";

/**
 * Removes what nobody needs any more: sandboxes, pins and files of what has ended, and artifacts whose time is over or
 * that are too many. One process at a time does it, whoever comes first; the others have nothing left to do. Says
 * whether it was this one, and all of it was done: what failed is for the next pass.
 */
export async function clean(place: Place, options: CleanOptions = {}): Promise<boolean> {
  let failed = false;
  const cleaned = place.database.locks.whileHeld("cleaning", ["all"], async () => {
    for (const [name, part] of Object.entries(parts)) {
      if (options.signal?.aborted) return;
      await part(place, options).catch((error: unknown) => {
        failed = true;
        // What was told to stop does so by an error.
        if (!options.signal?.aborted) place.log(`${name}: ${String(error)}`);
      });
    }
  });
  try {
    return (await cleaned) !== undefined && !failed;
  } catch (error) {
    place.log(`cleaning up: ${String(error)}`);
    return false;
  }
}

type Part = (place: Place, options: CleanOptions) => Promise<unknown>;

const parts: Readonly<Record<string, Part>> = {
  sandboxes: removeSandboxes,
  "half-done sandboxes": collectHalfDone,
  pins: unpinEnded,
  artifacts: boundArtifacts,
  "folders of runs": cleanRunFolders,
  conversations: removeConversations,
  "prepared images": tidyPrepared,
  repositories: tidyRepositories,
};
