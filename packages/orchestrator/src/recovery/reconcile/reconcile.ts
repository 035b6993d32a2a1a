import { haltOverBudget } from "../../loops/budget.ts";
import { endLoopIfOver } from "../../loops/end-loop.ts";
import type { Place } from "../../place.ts";
import { settleDependents } from "../../state/dependents.ts";
import { loopsThatMayBeOver, loopsToSettle } from "./loops-to-look-at.ts";
import { repairProjection, repairProjections } from "./projections.ts";
import { endStrayRuns } from "./stray-runs.ts";

/**
 * One pass over everything that nobody works on and that has to move on all the same, from what the database and the
 * engine say and nothing else. Each part can be done twice, by two at the same time, and be broken off: a part that fails
 * is logged, and the next pass does it.
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
  "stray runs": endStrayRuns,
  "dependent tasks": async ({ database }) => {
    for (const loop of await loopsToSettle(database)) await settleDependents(database, loop);
  },
  projections: repairProjections,
  "loops that are over": async (place, signal) => {
    for (const loop of await loopsThatMayBeOver(place.database)) {
      await repairProjection(place, loop, signal);
      await endLoopIfOver(place.database, loop);
    }
  },
  // What is over needs no budget, and is ended before it is looked at who does.
  budgets: haltOverBudget,
};
