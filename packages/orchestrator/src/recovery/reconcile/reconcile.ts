import { endLoopIfOver } from "../../loops/end-loop.ts";
import type { Place } from "../../place.ts";
import { settleDependents } from "../../state/dependents.ts";
import { haltOverBudget } from "./budgets.ts";
import { forEachLoop } from "./for-each-loop.ts";
import { loopsThatMayBeOver, loopsToSettle } from "./loops-to-look-at.ts";
import { repairProjection, repairProjections } from "./projections.ts";

/**
 * One pass over everything that nobody works on and that has to move on all the same, from what the database says and
 * nothing else: no engine is asked, which may be slow or hang. Each part can be done twice, by two at the same time, and
 * be broken off: what fails, in a part or in a loop, is logged and keeps nothing else from being done, and the next pass
 * does it.
 */
export async function reconcile(place: Place, signal?: AbortSignal): Promise<void> {
  for (const [name, part] of Object.entries(parts)) {
    if (signal?.aborted) return;
    await part(place, signal).catch((error: unknown) => {
      // What was told to stop does so by an error.
      if (!signal?.aborted) place.log(`${name}: ${String(error)}`);
    });
  }
}

type Part = (place: Place, signal: AbortSignal | undefined) => Promise<unknown>;

const parts: Readonly<Record<string, Part>> = {
  "dependent tasks": async (place, signal) => {
    const loops = await loopsToSettle(place.database);
    await forEachLoop(place, loops, (loop) => settleDependents(place.database, loop), signal);
  },
  projections: repairProjections,
  "loops that are over": async (place, signal) => {
    const end = async (loop: string): Promise<void> => {
      await repairProjection(place, loop, signal);
      await endLoopIfOver(place.database, loop);
    };
    await forEachLoop(place, await loopsThatMayBeOver(place.database), end, signal);
  },
  // What is over needs no budget, and is ended before it is looked at who does.
  budgets: haltOverBudget,
};
