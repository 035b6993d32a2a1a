import { applyChange } from "@opentiger/sandboxd";
import {
  defaultNetworkSettings,
  type NetworkPhase,
  type NetworkPolicy,
  type NetworkSettings,
  type Project,
} from "@opentiger/schema";
import type { Place } from "../place.ts";
import type { LoopRow } from "../state/loops.ts";

/**
 * What a sandbox of this phase may reach. What the user said for this loop comes before what a flag or the environment pins,
 * that before the repository's file, and that before what is stored and the default: a repository opens nothing that its
 * user has closed.
 */
export function phaseNetwork(
  place: Pick<Place, "config">,
  { settings }: Pick<LoopRow, "settings">,
  { network, sources }: Pick<Project, "network" | "sources">,
  phase: NetworkPhase,
): NetworkSettings {
  const { policy, allow } = network[phase];
  const said = settings.network ?? (sources.network === "flag" ? policy : null);
  return applyChange(defaultNetworkSettings, {
    policy: said ?? usualPolicy(place, policy),
    allowHost: allow,
  });
}

function usualPolicy({ config }: Pick<Place, "config">, ofFile: NetworkPolicy | null): NetworkPolicy {
  const configured = config.get("OPENTIGER_NETWORK_POLICY");
  return config.entry("OPENTIGER_NETWORK_POLICY").pinned ? configured : (ofFile ?? configured);
}

/** Whether two phases may reach the same, so that a sandbox of one shows what one of the other would. */
export function reachTheSame(
  place: Pick<Place, "config">,
  { loop, project }: { loop: Pick<LoopRow, "settings">; project: Pick<Project, "network" | "sources"> },
  one: NetworkPhase,
  other: NetworkPhase,
): boolean {
  const [first, second] = [one, other].map((phase) => phaseNetwork(place, loop, project, phase));
  return JSON.stringify(first) === JSON.stringify(second);
}
