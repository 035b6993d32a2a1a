import { join } from "node:path";
import type { Sandbox } from "@opentiger/sandbox";
import {
  type BudgetLimits,
  beginGatewayRun,
  type GatewayRun,
  type SandboxUsage,
  sandboxUsage,
} from "@opentiger/sandboxd";
import { type TokenCount, tokenCount } from "@opentiger/schema";
import { z } from "zod";
import { budgetOf, budgetsOf } from "../loops/budget.ts";
import type { Place } from "../place.ts";
import { type Bound, budgetOfLoop } from "../state/budgets.ts";
import type { RunColumns } from "../state/change-columns.ts";
import type { LoopRow } from "../state/loops.ts";
import { findRun, type RunRow } from "../state/runs.ts";
import { usageOfRun } from "../state/usage.ts";
import type { AgentChoice } from "./agent-choice.ts";
import { runFolder } from "./run-files.ts";

interface About {
  loop: Pick<LoopRow, "id" | "settings">;
  run: RunRow;
  sandbox: Sandbox;
  choice: AgentChoice;
}

/**
 * From here on what the agent asks of its model counts for the run, the loop and the day, and none uses more than is left.
 * May be called again for the same run, after a crash or for its next question.
 */
export async function openGateway(place: Place, about: About): Promise<GatewayRun> {
  const { loop, run, sandbox, choice } = about;
  const [gateway, limit] = await Promise.all([
    beginGatewayRun(place.sandboxd, {
      run: run.id,
      loop: loop.id,
      sandbox,
      agent: choice.driver.template,
      folder: join(runFolder(place, run), "login"),
      way: place.config.get("SANDBOX_CREDENTIALS"),
    }),
    limitOfRun(place, loop, run),
    limitAll(place, loop.id),
  ]);
  await gateway.setBudget(limit);
  return gateway;
}

/**
 * What the run may use in all, as the gateway counts it from its beginning: what is left, and what is written down of the
 * run itself, which is not a part of that. Most is written down at its end; a judge's after each piece that it was asked.
 */
async function limitOfRun(
  { database, config }: Pick<Place, "database" | "config">,
  loop: Pick<LoopRow, "id">,
  run: Pick<RunRow, "id">,
): Promise<BudgetLimits> {
  // Read first: what is written down in between makes the limit smaller, not larger.
  const own = await usageOfRun(database, run.id);
  const budget = await budgetOf({ database, config }, loop);
  if (!budget.ok) return nothing;
  const { tokens, usd } = budget.left;
  return limits({
    tokens: tokens === null ? null : tokens + own.total,
    usd: usd === null ? null : usd + (own.usd ?? 0),
  });
}

/**
 * What the gateway counted for a run that ends without a word of its agent's, be it at a task, a plan or a judgement.
 * Nothing where no agent was started: before one is, it is written down where its transcript will be.
 */
export async function countedByGateway(
  { database, sandboxd, log }: Pick<Place, "database" | "sandboxd" | "log">,
  { id }: Pick<RunRow, "id">,
): Promise<Pick<RunColumns, "tokens" | "usd">> {
  const run = await findRun(database, id);
  if (!run || run.transcript === null) return {};
  try {
    const path = `/runs/${id}/usage`;
    const question = { method: "GET", path, signal: AbortSignal.timeout(answerMs) } as const;
    return usageOfTotals((await sandboxd.ask(question, sandboxUsage)).totals) ?? {};
  } catch (error) {
    log(`run ${id} ends, and what it used is not known: ${String(error)}`);
    return {};
  }
}

/** undefined: nothing went through the gateway. */
export function usageOfTotals(
  totals: SandboxUsage["totals"] | null | undefined,
): { tokens: TokenCount; usd: number | null } | undefined {
  if (!totals || totals.requests === 0) return undefined;
  return { tokens: tokenCount.parse(totals.tokens), usd: totals.unpriced === 0 ? totals.usd : null };
}

/** It is on this machine; a run ends without the word of one that does not answer. */
const answerMs = 5_000;

/** The least that can be said; the gateway refuses at the first token. */
const nothing = { tokens: 1 };

/** Several runs at once must not each use up what is left, be it of their loop or of the day. */
async function limitAll({ sandboxd, database, config }: Place, loop: string): Promise<void> {
  const budgets = budgetsOf(config);
  const own = await budgetOfLoop(database, loop, budgets);
  const limit = (path: string, bound: Bound): Promise<unknown> =>
    sandboxd.ask({ method: "POST", path, body: limits(bound) }, z.unknown());
  await Promise.all([limit(`/loops/${loop}/budget`, own), limit("/day/budget", budgets.day)]);
}

function limits({ tokens, usd }: Bound): BudgetLimits {
  return { ...(tokens === null ? {} : { tokens }), ...(usd === null ? {} : { usd }) };
}
