import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { writeAtomically } from "@opentiger/sandbox";
import { z } from "zod";
import { type GatewayCaller, type Scope, scopeKey, scopesOf } from "../caller.ts";
import type { Refusal } from "../exchange/refusal.ts";
import type { Ledger } from "../metering/ledger.ts";
import { readText } from "../text-file.ts";
import { UnderWay } from "../under-way.ts";
import { type BudgetLimits, budgetLimits, exceeded } from "./budget.ts";

const budgetFile = z.object({ version: z.literal(1), budgets: z.record(z.string(), budgetLimits) });

/**
 * The limits and whether they are kept. A request is looked at before it is sent; what runs is let finish, so the
 * last one may go beyond the limit and the next is refused. Kept in a file: a limit outlives us.
 */
export class Budgets {
  readonly #path: string;
  readonly #ledger: Ledger;
  readonly #now: () => Date;
  readonly #limits: Map<string, BudgetLimits>;
  readonly #underWay = new UnderWay();

  constructor(folder: string, ledger: Ledger, now: () => Date) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#path = join(folder, "budgets.json");
    this.#ledger = ledger;
    this.#now = now;
    const text = readText(this.#path);
    const kept = text === undefined ? {} : budgetFile.parse(JSON.parse(text)).budgets;
    this.#limits = new Map(Object.entries(kept));
  }

  /** undefined takes the limits away. */
  set(scope: Scope, limits: BudgetLimits | undefined): void {
    if (limits) this.#limits.set(limitKey(scope), budgetLimits.parse(limits));
    else if (!this.#limits.delete(limitKey(scope))) return;
    const budgets = Object.fromEntries(this.#limits);
    writeAtomically(this.#path, JSON.stringify({ version: 1, budgets }));
  }

  of(scope: Scope): BudgetLimits | undefined {
    return this.#limits.get(limitKey(scope));
  }

  refusal(caller: GatewayCaller): Refusal | undefined {
    const now = this.#now();
    for (const scope of scopesOf(caller, now)) {
      const limits = this.of(scope);
      if (!limits) continue;
      const underWay = this.#underWay.of(scopeKey(scope));
      const reason = exceeded(scope, limits, { totals: this.#ledger.totals(scope), underWay, now });
      if (!reason) continue;
      return {
        code: "budget",
        message: `The budget is used up: ${reason}.`,
        remedy: "Raise the limit to go on.",
      };
    }
    return undefined;
  }

  /** Counts a question to a model from when it is sent until it has its line in the ledger. */
  start(caller: GatewayCaller): () => void {
    return this.#underWay.start(scopesOf(caller, this.#now()).map(scopeKey));
  }
}

/** What may be used in a day holds for every day. */
function limitKey(scope: Scope): string {
  return scope.kind === "day" ? scope.kind : scopeKey(scope);
}
