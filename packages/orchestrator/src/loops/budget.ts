import type { Place } from "../place.ts";
import {
  type Bound,
  type Budgets,
  budgetOfLoop,
  isBounded,
  type Overspent,
  overspent,
} from "../state/budgets.ts";
import type { LoopRow } from "../state/loops.ts";
import type { Queryable } from "../state/rows.ts";
import { usageOfDay, usageOfLoop } from "../state/usage.ts";

export type BudgetState =
  /** What may still be used; null: as much as it takes. */
  { ok: true; left: Bound } | { ok: false; scope: "loop" | "day"; sentence: string; remedy: string };

/** With which command a person lets the loop use more. */
export type GoingOn = "resume" | "retry";

/** The database may be a transaction's. */
interface BudgetPlace {
  database: Queryable;
  config: Place["config"];
}

/** Of loops that have none of their own, and of a day, as they are in force now. Claims are given the same. */
export function budgetsOf(config: Place["config"]): Budgets {
  return {
    loop: { tokens: config.get("OPENTIGER_LOOP_TOKENS"), usd: config.get("OPENTIGER_LOOP_USD") },
    day: { tokens: config.get("OPENTIGER_DAY_TOKENS"), usd: config.get("OPENTIGER_DAY_USD") },
  };
}

/** What the loop may still use, by its own budget and by that of the day, whichever is less. */
export async function budgetOf(
  { database, config }: BudgetPlace,
  { id }: Pick<LoopRow, "id">,
  goingOn: GoingOn = "resume",
): Promise<BudgetState> {
  const budgets = budgetsOf(config);
  const over = await overspent(database, id, budgets);
  if (over) return { ok: false, scope: over.scope, ...inWords(over, `opentiger loop ${goingOn} ${id}`) };
  const own = leftOf(await budgetOfLoop(database, id, budgets), await usageOfLoop(database, id));
  const day = isBounded(budgets.day) ? leftOf(budgets.day, await usageOfDay(database)) : budgets.day;
  return { ok: true, left: { tokens: less(own.tokens, day.tokens), usd: less(own.usd, day.usd) } };
}

/** Merging costs nothing; and a loop without any stage ends, or waits for a person. */
export async function needsBudget(on: Queryable, loop: string): Promise<boolean> {
  const open = "select 1 from stages where loop_id = $1 and state <> 'ended' and kind <> 'merge' limit 1";
  return (await on.query(open, [loop])).count > 0;
}

function leftOf({ tokens, usd }: Bound, used: { total: number; usd: number | null }): Bound {
  return {
    tokens: tokens === null ? null : Math.max(0, tokens - used.total),
    usd: usd === null ? null : Math.max(0, usd - (used.usd ?? 0)),
  };
}

function less(one: number | null, other: number | null): number | null {
  if (one === null) return other;
  return other === null ? one : Math.min(one, other);
}

function inWords(
  { scope, unit, used, bound }: Overspent,
  command: string,
): { sentence: string; remedy: string } {
  const [spent, allowed] = unit === "usd" ? [dollars(used), dollars(bound)] : [`${used}`, `${bound} tokens`];
  if (scope === "loop") {
    const flag = unit === "usd" ? "--budget-usd" : "--budget-tokens";
    return {
      sentence: `The loop has used ${spent} of the ${allowed} that it may use.`,
      remedy: `Allow it more: \`${command} ${flag} ${unit === "usd" ? Math.ceil(bound * 2) : bound * 2}\`.`,
    };
  }
  const key = unit === "usd" ? "OPENTIGER_DAY_USD" : "OPENTIGER_DAY_TOKENS";
  return {
    sentence: `All loops together have used ${spent} of the ${allowed} that they may use in a day.`,
    remedy: `A new day begins at 00:00 UTC; or raise ${key}. Then: \`${command}\`.`,
  };
}

function dollars(usd: number): string {
  return `$${usd.toFixed(2)}`;
}
