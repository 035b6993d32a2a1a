import { OrchestratorError } from "../errors.ts";
import { budgetOfLoop } from "../state/budgets.ts";
import { change } from "../state/change.ts";
import { type LoopRow, setLoopBudget } from "../state/loops.ts";
import { allows } from "../state/transitions.ts";
import { budgetOf, budgetsOf } from "./budget.ts";
import { withLoop } from "./existing.ts";
import { loopNotNow } from "./refusal.ts";
import type { LoopPlace } from "./start-loop.ts";

export interface ResumeOptions {
  /** What the loop may use in all from now on; null: as much as it takes, undefined: as before. */
  budget?: { tokens?: number | null | undefined; usd?: number | null | undefined };
}

/** Goes on with a loop that was paused, with another budget where one is given. Without any left it stays as it is. */
export async function resumeLoop(
  { database, config }: LoopPlace,
  id: string,
  { budget }: ResumeOptions = {},
): Promise<LoopRow> {
  return withLoop(database, id, async (on, loop) => {
    if (!allows("loop", "resume", loop.state)) throw loopNotNow(loop, "resumed");
    if (budget) {
      const before = await budgetOfLoop(on, id, budgetsOf(config));
      const { tokens = before.tokens, usd = before.usd } = budget;
      await setLoopBudget(on, id, { tokens, usd });
    }
    const left = await budgetOf({ database: on, config }, loop);
    if (!left.ok) throw new OrchestratorError("not_allowed_now", left.sentence, { remedy: left.remedy });
    await change(on, { what: "loop", id, by: "resume", from: loop.state, set: { detail: null } });
  });
}
