import type { ExecutionEnvironment } from "@opentiger/schema";
import type { LoopRepository } from "../git/repository.ts";
import type { Place } from "../place.ts";
import { sandboxOwner } from "../project/loop-sandboxes.ts";
import { removeSeen } from "../project/remove-sandbox.ts";
import { LeaseLost } from "../stage/lease-lost.ts";
import type { Lease } from "../state/lease.ts";
import { lockLoop } from "../state/locks.ts";
import { isPlannedAgain, noteBase, tellOnce } from "../state/planning.ts";
import { showingLife } from "../state/transaction.ts";

/**
 * The commit at which the user's repository is now: from here on the loop's base, whatever happens there. A loop that is
 * planned again has nothing left of the base that it had before.
 */
export async function bringBase(
  place: Place,
  lease: Lease,
  { repository, environment }: { repository: LoopRepository; environment: ExecutionEnvironment },
): Promise<string> {
  await forgetBaseBefore(place, lease, repository, environment);
  const { baseOid: found, notes } = await repository.importBase(lease.loop);
  const baseOid = await noteBase(place.database, lease, found);
  if (baseOid === undefined) throw new LeaseLost(lease.stage);
  if (!(await tellOnce(place.database, lease, "loop.base", { baseOid, notes })))
    throw new LeaseLost(lease.stage);
  return baseOid;
}

/**
 * The pin and the sandboxes stay at their commit for whoever takes a plan over, and so would keep a new plan at the old one.
 * The loop is locked meanwhile: who has lost the stage takes nothing away from who has it now.
 */
async function forgetBaseBefore(
  place: Place,
  lease: Lease,
  repository: LoopRepository,
  environment: ExecutionEnvironment,
): Promise<void> {
  await place.database.transaction(async (on) => {
    await lockLoop(on, lease.loop);
    if (!(await isPlannedAgain(on, lease))) return;
    await showingLife(on, async () => {
      await repository.unpin(lease.loop, "base");
      const backend = await place.backend(environment);
      for (const sandbox of await backend.list()) {
        if (sandbox.own && sandboxOwner(sandbox.name)?.loop === lease.loop)
          await removeSeen(backend, sandbox);
      }
    });
  });
}
