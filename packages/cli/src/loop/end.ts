import type { LoopRow } from "@opentiger/orchestrator";
import type { LoopState } from "@opentiger/schema";
import { exits } from "../program/exits.ts";

/** Where a loop is that is not gone on with before a person does something. */
export function standsStill(state: LoopState): boolean {
  return hasEnded(state) || state === "awaiting_approval" || state.startsWith("paused");
}

function hasEnded(state: LoopState): boolean {
  return state === "done" || state === "failed" || state === "cancelled";
}

/** With what `run` ends, by where it left the loop. Errors of ours have others: docs/cli.md. */
export function exitOf({ state, settings }: LoopRow): number {
  if (state === "done") return exits.good;
  if (state === "failed") return exits.negative;
  if (state === "cancelled") return exits.cancelled;
  // With --dry-run the plan is all that was wanted.
  if (state === "awaiting_approval") return settings.dryRun ? exits.good : exits.awaitingApproval;
  return exits.paused;
}

/** What there is to do now, as commands. */
export function nextSteps({ id, state, branch, branchOid, baseOid, planVersion }: LoopRow): string[] {
  const has = branch !== null && branchOid !== null && branchOid !== baseOid;
  if (state === "awaiting_approval")
    return [
      `opentiger loop show ${id}`,
      `opentiger loop approve ${id}${planVersion === null ? "" : ` --plan ${planVersion}`}`,
      `opentiger loop cancel ${id}`,
    ];
  if (state.startsWith("paused")) return [`opentiger loop resume ${id}`, `opentiger loop cancel ${id}`];
  const taking = has ? [`opentiger loop merge ${id}`, `opentiger loop discard ${id}`] : [];
  // One that was discarded is not gone on with.
  if (state === "failed" && branch === null) return [`opentiger loop show ${id}`];
  if (state === "failed") return [`opentiger loop show ${id}`, `opentiger loop retry ${id}`, ...taking];
  return hasEnded(state) ? taking : [`opentiger loop events -f ${id}`, `opentiger loop cancel ${id}`];
}
