import { z } from "zod";
import { firstRow, type Queryable } from "./rows.ts";
import { type Usage, usageOfDay, usageOfLoop } from "./usage.ts";

/** What may be used; null: as much as it takes. */
export interface Bound {
  tokens: number | null;
  usd: number | null;
}

/** Of each loop that has no budget of its own, and of all of them together in a day. */
export interface Budgets {
  loop: Bound;
  day: Bound;
}

export interface Overspent {
  scope: "loop" | "day";
  unit: "tokens" | "usd";
  used: number;
  bound: number;
}

const ownBudget = z.object({
  budget: z.object({ tokens: z.number().nullable(), usd: z.number().nullable() }).nullable(),
});

/** The budget of this loop: what was said when it was started, else the one of all. */
export async function budgetOfLoop(on: Queryable, loop: string, { loop: usual }: Budgets): Promise<Bound> {
  const row = await firstRow(on, ownBudget, "select settings->'budget' as budget from loops where id = $1", [
    loop,
  ]);
  return row?.budget ?? usual;
}

/** Whether the loop, or all together in this day, have used what they may. undefined: there is something left. */
export async function overspent(
  on: Queryable,
  loop: string,
  budgets: Budgets,
): Promise<Overspent | undefined> {
  const own = await budgetOfLoop(on, loop, budgets);
  const ofLoop = isBounded(own) ? beyond("loop", own, await usageOfLoop(on, loop)) : undefined;
  return ofLoop ?? overspentDay(on, budgets);
}

async function overspentDay(on: Queryable, { day }: Budgets): Promise<Overspent | undefined> {
  return isBounded(day) ? beyond("day", day, await usageOfDay(on)) : undefined;
}

export function isBounded({ tokens, usd }: Bound): boolean {
  return tokens !== null || usd !== null;
}

function beyond(scope: Overspent["scope"], { tokens, usd }: Bound, used: Usage): Overspent | undefined {
  if (tokens !== null && used.total >= tokens)
    return { scope, unit: "tokens", used: used.total, bound: tokens };
  if (usd !== null && (used.usd ?? 0) >= usd) return { scope, unit: "usd", used: used.usd ?? 0, bound: usd };
  return undefined;
}
