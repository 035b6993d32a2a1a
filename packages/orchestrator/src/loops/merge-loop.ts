import { CodedError } from "@opentiger/schema";
import { OrchestratorError } from "../errors.ts";
import { type MergedIntoUser, mergeIntoUser } from "../git/merge-into-user.ts";
import { LoopRepository } from "../git/repository.ts";
import { projectBranch } from "../merging/project-branch.ts";
import type { Place } from "../place.ts";
import type { LoopRow } from "../state/loops.ts";
import { findRepository } from "../state/repositories.ts";
import { existingLoop } from "./existing.ts";
import { loopNotNow, refuseDiscarded } from "./refusal.ts";

type MergePlace = Pick<Place, "database" | "folder" | "env" | "log">;

/**
 * Merges the branch of a loop that adds nothing more to it into the one that the user has checked out: what was judged,
 * also where the user's repository does not show it. Its commits are brought there first.
 */
export async function mergeLoop(
  place: MergePlace,
  id: string,
  signal?: AbortSignal,
): Promise<MergedIntoUser> {
  const loop = await existingLoop(place.database, id);
  const { branch, oid } = finishedBranch(loop);
  const known = await findRepository(place.database, loop.repository);
  if (!known) throw new OrchestratorError("internal", `the repository of loop ${id} is not known`);
  const repository = await LoopRepository.open(place, known, signal);
  await refuseIfMoved(place, repository, loop);
  await repository.bringToUser(loop);
  return mergeIntoUser({ path: known.path, branch, oid, env: place.env, ...(signal ? { signal } : {}) });
}

function finishedBranch(loop: LoopRow): { branch: string; oid: string } {
  const { id, state, endedAt, branch, branchOid: oid, baseOid } = loop;
  refuseDiscarded(loop, "merged");
  if (branch === null || oid === null || oid === baseOid) {
    throw new OrchestratorError("not_allowed_now", `loop ${id} has nothing on its branch`, {
      remedy: `it gets commits when its first task has been judged and merged: opentiger loop show ${id}`,
    });
  }
  if (endedAt !== null || state.startsWith("paused")) return { branch, oid };
  const remedy = `wait for it (opentiger loop events -f ${id}), or end it: opentiger loop cancel ${id}`;
  throw loopNotNow(loop, "merged yet", remedy);
}

/** With commits of somebody else on it, who says "merge" may mean those. One that was only deleted means nothing. */
async function refuseIfMoved(place: MergePlace, repository: LoopRepository, { id, branch }: LoopRow) {
  try {
    const shown = await projectBranch(place, repository, id);
    if (!("movedBy" in shown) || /^0+$/.test(shown.movedBy)) return;
    throw new OrchestratorError("branch_moved", `somebody else moved ${branch}: it is at ${shown.movedBy}`, {
      remedy: `see what is there (git log ${branch}), and merge that by hand, or put it back`,
    });
  } catch (error) {
    if (!(error instanceof CodedError) || error.code === "branch_moved") throw error;
    // That it cannot be shown is no reason not to merge it.
    place.log(`the branch of loop ${id}: ${error.message}`);
  }
}
