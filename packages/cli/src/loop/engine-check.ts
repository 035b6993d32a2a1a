import { type OpenPlace, OrchestratorError } from "@opentiger/orchestrator";
import { SandboxError } from "@opentiger/sandbox";
import type { ExecutionEnvironment } from "@opentiger/schema";

/** Refuses at once what could only fail later: sandboxes without an engine. It never runs on the host instead, unasked. */
export async function checkEngine(place: OpenPlace, environment: ExecutionEnvironment): Promise<void> {
  if (environment === "host") return;
  try {
    await (await place.backend("sandbox")).list();
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    const offered = "or say --host to run the agents on this machine itself, with nothing isolated";
    const remedy = error.remedy === undefined ? offered : `${error.remedy}; ${offered}`;
    throw new OrchestratorError(error.code, error.message, { remedy, cause: error });
  }
}
