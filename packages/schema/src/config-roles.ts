import type { ConfigKeyName } from "./config.ts";
import type { Role } from "./state.ts";

/** The settings of each role: its agent, and the model that the agent is given. */
export const roleKeys = {
  planner: ["OPENTIGER_PLANNER_AGENT", "OPENTIGER_PLANNER_MODEL"],
  worker: ["OPENTIGER_WORKER_AGENT", "OPENTIGER_WORKER_MODEL"],
  tester: ["OPENTIGER_TESTER_AGENT", "OPENTIGER_TESTER_MODEL"],
  docser: ["OPENTIGER_DOCSER_AGENT", "OPENTIGER_DOCSER_MODEL"],
  judge: ["OPENTIGER_JUDGE_AGENT", "OPENTIGER_JUDGE_MODEL"],
} as const satisfies Record<Role, readonly [ConfigKeyName, ConfigKeyName]>;
