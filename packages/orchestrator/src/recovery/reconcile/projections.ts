import { CodedError, loopStatus } from "@opentiger/schema";
import { z } from "zod";
import { LoopRepository } from "../../git/repository.ts";
import { projectBranch } from "../../merging/project-branch.ts";
import type { Place } from "../../place.ts";
import { appendEvent } from "../../state/events.ts";
import { lockLoop } from "../../state/locks.ts";
import { findLoop } from "../../state/loops.ts";
import { findRepository, type RepositoryRow } from "../../state/repositories.ts";
import { allRows } from "../../state/rows.ts";
import { withUnshown } from "../../state/unshown.ts";

const behindRow = z.object({
  id: z.string(),
  branch: z.string(),
  repository: z.string(),
  status: loopStatus,
  projectedOid: z.string().nullable(),
});
type Behind = z.infer<typeof behindRow>;

/**
 * Shows the branch of every loop in the user's repository where it does not show it: a merger was killed before it did.
 * Where somebody else moved it nothing is moved back: the loop stops and says so.
 */
export async function repairProjections(place: Place, signal?: AbortSignal): Promise<void> {
  for (const loop of await loopsBehind(place)) {
    if (signal?.aborted) return;
    await repairOrSay(place, loop, signal);
  }
}

/** The same for one loop, so that it is shown before the loop is told to be over; what hinders that is said. */
export async function repairProjection(place: Place, id: string, signal?: AbortSignal): Promise<void> {
  const loop = (await loopsBehind(place)).find((each) => each.id === id);
  if (loop) await repairOrSay(place, loop, signal);
}

async function loopsBehind({ database }: Place): Promise<Behind[]> {
  return allRows(
    database,
    behindRow,
    `select id, branch, repository_id as repository, status, projected_oid as "projectedOid" from loops
     where branch is not null and branch_oid is distinct from base_oid and branch_oid is distinct from projected_oid
       and reason is distinct from 'branch_moved'
     order by ordinal`,
  );
}

async function repairOrSay(place: Place, loop: Behind, signal: AbortSignal | undefined): Promise<void> {
  await repair(place, loop, signal).catch((error: unknown) =>
    place.log(`the branch of loop ${loop.id}: ${String(error)}`),
  );
}

async function repair(place: Place, loop: Behind, signal: AbortSignal | undefined): Promise<void> {
  const known = await findRepository(place.database, loop.repository);
  if (!known) return;
  const why = await whatHinders(place, loop, known, signal);
  if (why !== null) await tell(place, loop, why);
}

/** null: it is shown, or the loop was paused for it and says so. */
async function whatHinders(
  place: Place,
  loop: Behind,
  known: RepositoryRow,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  try {
    const repository = await LoopRepository.open(place, known, signal);
    const shown = await projectBranch(place, repository, loop.id);
    if ("checkedOut" in shown)
      return `${loop.branch} is checked out in ${shown.checkedOut}, and is moved on when another branch is checked out there.`;
    if ("movedBy" in shown && loop.status !== "running") return whoMoved(loop, shown.movedBy);
    return null;
  } catch (error) {
    if (!(error instanceof CodedError) || error.code.startsWith("database_") || signal?.aborted) throw error;
    place.log(`the branch of loop ${loop.id}: ${error.message}`);
    return `${error.message}. It is tried again and again${error.remedy ? ` (${error.remedy})` : ""}.`;
  }
}

function whoMoved({ branch, projectedOid }: Behind, movedBy: string): string {
  const found = /^0+$/.test(movedBy) ? "deleted it" : `moved it to ${movedBy}`;
  return `somebody else ${found}. Put ${branch} back${projectedOid === null ? "" : ` to ${projectedOid}`}.`;
}

/** Once, however often it is found. */
async function tell({ database }: Place, { id }: Behind, why: string): Promise<void> {
  await database.transaction(async (on) => {
    await lockLoop(on, id);
    const detail = withUnshown((await findLoop(on, id))?.detail ?? null, why);
    const set = "update loops set detail = $2 where id = $1 and detail is distinct from $2";
    const { count } = await on.query(set, [id, detail]);
    const data = { detail: withUnshown(null, why) };
    if (count > 0) await appendEvent(on, { loop: id, type: "loop.unprojected", data });
  });
}
