import { budgetOf, needsBudget } from "../../loops/budget.ts";
import { withLoop } from "../../loops/existing.ts";
import type { Place } from "../../place.ts";
import { change } from "../../state/change.ts";
import type { Queryable } from "../../state/rows.ts";
import { forEachLoop } from "./for-each-loop.ts";
import { loopsThatSpend } from "./loops-to-look-at.ts";

/**
 * Pauses each running loop whose budget, or that of the day, is used up while something is left to do that costs, and
 * fails each that is still to be planned: one without a plan cannot be paused, and would wait without a word. Returns
 * their ids.
 */
export async function haltOverBudget(
  place: Pick<Place, "database" | "config" | "log">,
  signal?: AbortSignal,
): Promise<string[]> {
  const halted: string[] = [];
  const halt = async (id: string): Promise<void> => {
    if (await haltIfOver(place, id)) halted.push(id);
  };
  await forEachLoop(place, await loopsThatSpend(place.database), halt, signal);
  return halted;
}

async function haltIfOver(
  { database, config }: Pick<Place, "database" | "config">,
  id: string,
): Promise<boolean> {
  const loop = await withLoop(database, id, async (on, { state }) => {
    if (state === "running" && (await needsBudget(on, id))) {
      const over = await budgetOf({ database: on, config }, { id });
      if (over.ok) return;
      const detail = `${over.sentence} ${over.remedy}`;
      const asked = { what: "loop", id, by: "pause", from: state, to: "paused(budget)" } as const;
      await change(on, { ...asked, set: { detail }, data: { detail } });
    } else if (state === "planning" && !(await isBeingPlanned(on, id))) {
      const over = await budgetOf({ database: on, config }, { id }, "retry");
      if (over.ok) return;
      const detail = `There is no plan. ${over.sentence} ${over.remedy}`;
      const asked = { what: "loop", id, by: "fail", from: state } as const;
      await change(on, { ...asked, set: { detail }, data: { failure: "budget", detail } });
    }
  });
  return loop.state === "paused(budget)" || loop.state === "failed";
}

/** Its planner goes on until the gateway says no. */
async function isBeingPlanned(on: Queryable, loop: string): Promise<boolean> {
  const claimed = "select 1 from stages where loop_id = $1 and kind = 'plan' and state = 'claimed'";
  return (await on.query(claimed, [loop])).count > 0;
}
