import { OrchestratorError } from "../errors.ts";
import { LoopRepository } from "../git/repository.ts";
import type { Place } from "../place.ts";
import { appendEvent } from "../state/events.ts";
import type { LoopRow } from "../state/loops.ts";
import { findRepository } from "../state/repositories.ts";
import { showingLife } from "../state/transaction.ts";
import { withoutUnshown } from "../state/unshown.ts";
import { withLoop } from "./existing.ts";
import { loopNotNow } from "./refusal.ts";

/**
 * Removes the branch of a loop that has ended from the user's repository, and what is kept of its commits; what was
 * merged elsewhere stays there. Afterwards it has no branch, and nothing shows it again. It may be done twice. The loop is
 * locked meanwhile: one that is opened again at the same moment keeps its branch, or is refused.
 */
export async function discardLoop(
  place: Pick<Place, "database" | "folder" | "env">,
  id: string,
  signal?: AbortSignal,
): Promise<LoopRow> {
  return withLoop(place.database, id, async (on, loop) => {
    if (loop.endedAt === null) {
      throw loopNotNow(loop, "discarded", `cancel it first: opentiger loop cancel ${id}`);
    }
    const known = await findRepository(on, loop.repository);
    if (known) {
      await showingLife(on, async () => removeFrom(await LoopRepository.open(place, known, signal), loop));
    }
    await on.query(
      `update loops set branch = null, projected_oid = null, detail = ${withoutUnshown("detail")},
         updated_at = now() where id = $1`,
      [id],
    );
    await appendEvent(on, { loop: id, type: "loop.discard" });
  });
}

async function removeFrom(repository: LoopRepository, loop: LoopRow): Promise<void> {
  if (loop.branch !== null) {
    const removal = await repository.removeProjection(loop);
    if ("movedBy" in removal && !/^0+$/.test(removal.movedBy)) {
      throw refused(
        `somebody else moved ${loop.branch} to ${removal.movedBy}`,
        `git branch -D ${loop.branch}`,
      );
    }
    if ("checkedOut" in removal) {
      throw refused(
        `${loop.branch} is checked out in ${removal.checkedOut}`,
        "check out another branch there",
      );
    }
  }
  await repository.dropLoop(loop.id);
}

function refused(message: string, remedy: string): OrchestratorError {
  return new OrchestratorError("branch_moved", `nothing was discarded: ${message}`, { remedy });
}
