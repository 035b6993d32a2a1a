import { join } from "node:path";
import type { Sandbox } from "@opentiger/sandbox";
import { beginGatewayRun, type GatewayRun, type SandboxUsage, sandboxUsage } from "@opentiger/sandboxd";
import { type TokenCount, tokenCount } from "@opentiger/schema";
import { z } from "zod";
import { budgetOf, budgetsOf } from "../loops/budget.ts";
import type { Place } from "../place.ts";
import { type Bound, budgetOfLoop } from "../state/budgets.ts";
import type { RunColumns } from "../state/change-columns.ts";
import type { LoopRow } from "../state/loops.ts";
import type { RunRow } from "../state/runs.ts";
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
  const [gateway, budget] = await Promise.all([
    beginGatewayRun(place.sandboxd, {
      run: run.id,
      loop: loop.id,
      sandbox,
      agent: choice.driver.template,
      folder: join(runFolder(place, run), "login"),
      way: place.config.get("SANDBOX_CREDENTIALS"),
    }),
    budgetOf(place, loop),
    limitAll(place, loop.id),
  ]);
  // What a run has used is written down at its end: until then it is a part of what is left.
  await gateway.setBudget(budget.ok ? limits(budget.left) : nothing);
  return gateway;
}

/** What the gateway counted for a run that ends without a word of its agent's. Nothing where no agent was started. */
export async function countedByGateway(
  { sandboxd, log }: Pick<Place, "sandboxd" | "log">,
  { id, execId }: Pick<RunRow, "id" | "execId">,
): Promise<Pick<RunColumns, "tokens" | "usd">> {
  if (execId === null) return {};
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

function limits({ tokens, usd }: Bound): { tokens?: number; usd?: number } {
  return { ...(tokens === null ? {} : { tokens }), ...(usd === null ? {} : { usd }) };
}
