import { SandboxError } from "@opentiger/sandbox";
import type { ErrorCode } from "@opentiger/schema";
import { OrchestratorError } from "../errors.ts";

/** What goes by when the process that was killed or restarted is there again; it says nothing of the task. */
const passing: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "database_unavailable",
  "sandboxd_unavailable",
  "engine_unavailable",
  "session_lost",
]);

/** Whether the same work may well succeed in a moment: the database, sandboxd or the engine was not there. */
export function isPassing(error: unknown): boolean {
  return (error instanceof OrchestratorError || error instanceof SandboxError) && passing.has(error.code);
}
