import { OrchestratorError } from "../errors.ts";
import { timeIsUp } from "../project/setup.ts";

/** What programs say of hosts that are not there for the moment; one that may not be reached at all is another matter. */
const unreachable =
  /\b(?:EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH)\b|temporary failure in name resolution|could not resolve host|network is unreachable|connection (?:refused|timed out)|\b50[234] (?:bad gateway|service unavailable|gateway time-?out)/i;

/**
 * Why a candidate's set-up failed, where that may be the candidate's fault; undefined for all other errors. One that came
 * to no end, or did not reach what it needs, says nothing of it.
 */
export function setUpFault(error: unknown): string | undefined {
  if (!(error instanceof OrchestratorError) || error.code !== "setup_failed") return undefined;
  const { message } = error;
  return message.includes(`failed, ${timeIsUp}`) || unreachable.test(message) ? undefined : message;
}

/** Does something with the branch as it is. Where that cannot be set up, no candidate has failed by it. */
export async function onBranch<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof OrchestratorError) || error.code !== "setup_failed") throw error;
    const { message, remedy } = error;
    throw new OrchestratorError("sandbox_broken", `the branch could not be set up: ${message}`, {
      ...(remedy === undefined ? {} : { remedy }),
      cause: error,
    });
  }
}
