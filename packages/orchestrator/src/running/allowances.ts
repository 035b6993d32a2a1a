import type { AgentTask } from "@opentiger/agents";
import type { BackendName } from "@opentiger/schema";
import type { Place } from "../place.ts";

/**
 * What the agent of a task may do. In a sandbox that is everything; on the host it changes files and runs the verify
 * commands, unless the user says that it may do everything there too.
 */
export function allowances(
  config: Pick<Place["config"], "get">,
  backend: BackendName,
  commands: readonly string[],
): Pick<AgentTask, "permissions" | "projectSettings" | "maxTurns"> {
  const maxTurns = config.get("OPENTIGER_MAX_TURNS");
  const confined = backend === "host" && config.get("OPENTIGER_HOST_PERMISSIONS") === "edits";
  return {
    permissions: confined ? { kind: "edits", commands } : { kind: "full" },
    projectSettings: config.get("OPENTIGER_PROJECT_SETTINGS"),
    ...(maxTurns === null ? {} : { maxTurns }),
  };
}
