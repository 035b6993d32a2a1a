import { type StageRole, stageRoles, type TaskRole } from "@opentiger/schema";
import { OrchestratorError } from "../errors.ts";
import type { SystemConfig } from "../state/config/system-config.ts";

/** The one that claims everything. */
export const dispatcherName = "dispatcher";

const workerPattern = /^(worker|tester|docser)-[1-9]\d{0,2}$/;
const dispatcherPattern = /^dispatcher(?:-[1-9]\d{0,2})?$/;

/** What the process of this name claims: `worker-2` what workers do, `dispatcher` everything. */
export function rolesOfProcess(name: string): readonly StageRole[] {
  const role = hostRole(name);
  if (role) return [role];
  if (dispatcherPattern.test(name)) return stageRoles;
  throw new OrchestratorError("usage", `${JSON.stringify(name)} is not a process of openTiger's`, {
    remedy: "use dispatcher, or worker-1, tester-1, docser-1 and so on",
  });
}

export type ProcessSkip = { skipped: true; reason: string } | { skipped: false };

/**
 * Contract A4: in a sandbox tasks run in containers, and the dispatcher starts those. The workers, testers and docsers of
 * the host are not started then.
 */
export function processSkipped(config: Pick<SystemConfig, "get">, name: string): ProcessSkip {
  if (!hostRole(name) || config.get("EXECUTION_ENVIRONMENT") === "host") return { skipped: false };
  return {
    skipped: true,
    reason: `${name} works on the host, and EXECUTION_ENVIRONMENT is sandbox: the dispatcher runs each task in a sandbox instead`,
  };
}

function hostRole(name: string): TaskRole | undefined {
  const [, role] = workerPattern.exec(name) ?? [];
  return role === "worker" || role === "tester" || role === "docser" ? role : undefined;
}
