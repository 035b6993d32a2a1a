import { applyChange } from "@opentiger/sandboxd";
import {
  defaultNetworkSettings,
  type NetworkPhase,
  type NetworkSettings,
  type Project,
} from "@opentiger/schema";
import type { Place } from "../place.ts";
import type { LoopRow } from "../state/loops.ts";

/** What a sandbox of this phase may reach: what was said at the loop's start before the project's file before the default. */
export function phaseNetwork(
  { config }: Pick<Place, "config">,
  { settings }: Pick<LoopRow, "settings">,
  { network }: Pick<Project, "network">,
  phase: NetworkPhase,
): NetworkSettings {
  const { policy, allow } = network[phase];
  return applyChange(defaultNetworkSettings, {
    policy: settings.network ?? policy ?? config.get("OPENTIGER_NETWORK_POLICY"),
    allowHost: allow,
  });
}

/** Whether two phases may reach the same, so that a sandbox of one shows what one of the other would. */
export function reachTheSame(
  place: Pick<Place, "config">,
  { loop, project }: { loop: Pick<LoopRow, "settings">; project: Pick<Project, "network"> },
  one: NetworkPhase,
  other: NetworkPhase,
): boolean {
  const [first, second] = [one, other].map((phase) => phaseNetwork(place, loop, project, phase));
  return JSON.stringify(first) === JSON.stringify(second);
}
