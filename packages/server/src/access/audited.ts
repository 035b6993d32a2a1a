import type { Queryable } from "@opentiger/orchestrator";
import { errno, errorCodes, isErrorCode, isSecretValue } from "@opentiger/schema";
import { beginAudit, endAudit } from "./audit.ts";

/** Who did it, for the audit. */
export const commandLine = "command line";

export interface AuditedAction {
  /** The verb, as it is called: `loop cancel`. */
  action: string;
  /** To what: the id of a loop, the name of a setting. */
  target: string;
}

/** What changes anything has a row, whichever way it was changed. It is written before that, and says how it ended. */
export async function audited<T>(
  database: Queryable,
  { action, target }: AuditedAction,
  act: () => Promise<T>,
): Promise<T> {
  // Somebody may have put a secret where a name belongs.
  const shown = isSecretValue(target) ? "(a secret)" : target;
  const id = await beginAudit(database, { who: commandLine, address: "", action, target: shown });
  try {
    const done = await act();
    await endAudit(database, id, 200);
    return done;
  } catch (error) {
    // Why it failed is worth more than that this could not be written down.
    await endAudit(database, id, statusOf(error)).catch(() => {});
    throw error;
  }
}

/** As the server would have answered. */
function statusOf(error: unknown): number {
  const code = errno(error);
  return isErrorCode(code) ? errorCodes[code].http : errorCodes.internal.http;
}
