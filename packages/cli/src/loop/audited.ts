import type { TaskRow } from "@opentiger/orchestrator";
import type { AuditedAction } from "@opentiger/server/access";

export { audited, commandLine } from "@opentiger/server/access";

/** A task is known by its loop and its number. */
export function taskAction(verb: string, { loop, number }: Pick<TaskRow, "loop" | "number">): AuditedAction {
  return { action: `task ${verb}`, target: `${loop} ${number}` };
}
