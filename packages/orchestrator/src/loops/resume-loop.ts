import { change } from "../state/change.ts";
import type { LoopRow } from "../state/loops.ts";
import { allows } from "../state/transitions.ts";
import { needsBudget } from "./budget.ts";
import { withLoop } from "./existing.ts";
import { type MoreBudget, takeBudget } from "./more-budget.ts";
import { loopNotNow } from "./refusal.ts";
import type { LoopPlace } from "./start-loop.ts";

/**
 * Goes on with a loop that was paused, with another budget where one is given. Without any left it stays as it is, unless
 * nothing is left to do that costs.
 */
export async function resumeLoop(
  { database, config }: LoopPlace,
  id: string,
  more: MoreBudget = {},
): Promise<LoopRow> {
  return withLoop(database, id, async (on, loop) => {
    if (!allows("loop", "resume", loop.state)) throw loopNotNow(loop, "resumed");
    if (more.budget || (await needsBudget(on, id)))
      await takeBudget({ database: on, config }, id, more, "resume");
    await change(on, { what: "loop", id, by: "resume", from: loop.state, set: { detail: null } });
  });
}
