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
