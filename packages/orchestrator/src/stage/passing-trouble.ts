import { CodedError, type ErrorCode } from "@opentiger/schema";

/** What goes by when the process that was killed or restarted is there again; it says nothing of the task. */
const passing: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "database_unavailable",
  "sandboxd_unavailable",
  "engine_unavailable",
  "session_lost",
  "sandbox_unfinished",
]);

/** What goes by only when another process finishes or ends. That may be stopped for long, and it is no fault of the task. */
const others: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["sandbox_unfinished"]);

/** Whether the same work may well succeed in a moment: the database, sandboxd, the engine or a sandbox was not there. */
export function isPassing(error: unknown): boolean {
  return isOneOf(passing, error);
}

/**
 * Whether another process is in the way, for which the stage waits as long as it takes: the one that had the stage before
 * and lost it may still be making the sandbox.
 */
export function isAnothers(error: unknown): boolean {
  return isOneOf(others, error);
}

function isOneOf(codes: ReadonlySet<ErrorCode>, error: unknown): boolean {
  return error instanceof CodedError && codes.has(error.code);
}
