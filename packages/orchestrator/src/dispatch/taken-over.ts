import { OrchestratorError } from "../errors.ts";
import type { Lease } from "../state/lease.ts";

/**
 * Processes are killed, and machines restarted, at any time and often; that so many dispatchers in a row are gone before
 * one stage is done is its own doing.
 */
export const mostTakeOvers = 25;

/** Why a stage is not begun once more: it ends whoever works on it, or could not even be failed by them. */
export function takenOverTooOften({
  stage,
  kind,
  takenOver,
}: Lease): { error: OrchestratorError } | undefined {
  if (takenOver <= mostTakeOvers) return undefined;
  const error = new OrchestratorError(
    "session_lost",
    `stage ${stage} (${kind}) was taken over ${takenOver} times, because whoever worked on it was gone before its end`,
    { remedy: "See why in the dispatcher's log (`opentiger dispatcher logs`), mend it, and retry." },
  );
  return { error };
}
