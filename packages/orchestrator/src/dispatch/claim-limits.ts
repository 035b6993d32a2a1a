import { budgetsOf } from "../loops/budget.ts";
import type { ClaimLimits } from "../state/claims.ts";
import type { SystemConfig } from "../state/config/system-config.ts";

/** How much may be worked on at the same time, and how much it may cost, as the settings say now. */
export function claimLimits(config: SystemConfig): ClaimLimits {
  return {
    running: config.get("OPENTIGER_MAX_RUNNING"),
    roles: {
      planner: config.get("OPENTIGER_MAX_PLANNERS"),
      worker: config.get("OPENTIGER_MAX_WORKERS"),
      tester: config.get("OPENTIGER_MAX_TESTERS"),
      docser: config.get("OPENTIGER_MAX_DOCSERS"),
      judge: config.get("OPENTIGER_MAX_JUDGES"),
    },
    budgets: budgetsOf(config),
  };
}
