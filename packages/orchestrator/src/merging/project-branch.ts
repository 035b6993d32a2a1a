import type { LoopRepository } from "../git/repository.ts";
import type { Place } from "../place.ts";
import { change } from "../state/change.ts";
import { findLoop, type LoopRow } from "../state/loops.ts";
import { noteProjected } from "../state/projected.ts";
import { allows } from "../state/transitions.ts";
import type { OnStep } from "./merge-steps.ts";

export type BranchProjection =
  /** The user's repository shows what the row says; null where there is nothing to show. */
  | { projected: string | null }
  /** Somebody else moved it, and the loop is paused for it. */
  | { movedBy: string }
  /** It is checked out in this folder; it is shown when it is not any more. */
  | { checkedOut: string }
  /** Others advance it faster than it can be shown; they show it. */
  | { overtaken: true };

/** Each time somebody else advanced the branch meanwhile, who shows it too. */
const tries = 5;

/**
 * Makes the branch in the repositories what the row of the loop says. Anybody may do that at any time: a ref is moved only
 * from where one of us left it. Moved by anybody else, it is left alone and the loop is paused.
 */
export async function projectBranch(
  { database }: Pick<Place, "database">,
  repository: LoopRepository,
  loopId: string,
  onStep: OnStep = async () => {},
): Promise<BranchProjection> {
  for (let attempt = 1; attempt <= tries; attempt++) {
    const loop = await findLoop(database, loopId);
    if (!loop?.branchOid || !loop.branch) return { projected: null };
    const projection = await repository.project(loop);
    await onStep("project");
    if ("checkedOut" in projection) return { checkedOut: projection.checkedOut };
    if ("movedBy" in projection) {
      // Read too early, the row says nothing of what was found.
      if (await isStill(database, loop)) return pauseFor(database, loop, projection.movedBy);
      continue;
    }
    await noteProjected(database, loop, projection.projected);
    await onStep("note");
    if ((await findLoop(database, loopId))?.branchOid === projection.projected) return projection;
  }
  return { overtaken: true };
}

async function isStill(
  database: Place["database"],
  { id, branchOid, projectedOid }: LoopRow,
): Promise<boolean> {
  const now = await findLoop(database, id);
  return now?.branchOid === branchOid && now?.projectedOid === projectedOid;
}

async function pauseFor(
  database: Place["database"],
  { id, state, branch, projectedOid }: LoopRow,
  movedBy: string,
): Promise<BranchProjection> {
  // What has ended, or is paused for another reason, is left as it is.
  if (!allows("loop", "pause", state)) return { movedBy };
  const found = /^0+$/.test(movedBy) ? "it was deleted" : `it is at ${movedBy} now`;
  const expected = projectedOid === null ? "was not ours to make" : `was left at ${projectedOid}`;
  const detail = `Somebody else moved ${branch}: it ${expected}, and ${found}. Put it back and resume the loop.`;
  await change(database, {
    what: "loop",
    id,
    by: "pause",
    from: state,
    to: "paused(branch_moved)",
    set: { detail },
    data: { detail, found: movedBy },
  });
  return { movedBy };
}
