import { OrchestratorError } from "../errors.ts";
import type { Place } from "../place.ts";
import { budgetOfLoop } from "../state/budgets.ts";
import { setLoopBudget } from "../state/loops.ts";
import type { Queryable } from "../state/rows.ts";
import { budgetOf, budgetsOf, type GoingOn } from "./budget.ts";

export interface MoreBudget {
  /** What the loop may use in all from now on; null: as much as it takes, undefined: as before. */
  budget?: { tokens?: number | null | undefined; usd?: number | null | undefined };
}

/** Part of a transaction that has locked the loop: it has this budget from now on, and is refused where nothing is left. */
export async function takeBudget(
  { database: on, config }: { database: Queryable; config: Place["config"] },
  id: string,
  { budget }: MoreBudget,
  goingOn: GoingOn,
): Promise<void> {
  if (budget) {
    const before = await budgetOfLoop(on, id, budgetsOf(config));
    const { tokens = before.tokens, usd = before.usd } = budget;
    await setLoopBudget(on, id, { tokens, usd });
  }
  const left = await budgetOf({ database: on, config }, { id }, goingOn);
  if (left.ok) return;
  const code = left.scope === "loop" ? "loop_budget_used_up" : "not_allowed_now";
  throw new OrchestratorError(code, left.sentence, { remedy: left.remedy });
}
