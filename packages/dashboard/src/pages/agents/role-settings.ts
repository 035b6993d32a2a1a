import type { ConfigEntry, Role } from "@opentiger/schema";
import type { Config } from "../../api/types.ts";

export const roles: readonly Role[] = ["planner", "worker", "tester", "docser", "judge"];

export function setting(config: Config, key: string): ConfigEntry | undefined {
  return config.settings.find((entry) => entry.key === key);
}

/** As OPENTIGER_WORKER_AGENT. */
export function keyOf(role: Role, what: "AGENT" | "MODEL"): string {
  return `OPENTIGER_${role.toUpperCase()}_${what}`;
}

export function agentOf(config: Config, role: Role): string {
  return String(setting(config, keyOf(role, "AGENT"))?.value ?? "");
}
