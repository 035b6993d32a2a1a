import { type NetworkPhase, type NetworkPolicy, networkPolicies, type Project } from "@opentiger/schema";
import type { Place } from "../place.ts";
import type { LoopRow } from "../state/loops.ts";

/**
 * The policy of the user's own: what was said for this loop comes before what a flag or the environment pins, and that
 * before what is stored and the default. Where it is fixed, the repository's file has no say in it.
 */
export function usersPolicy(
  { config }: Pick<Place, "config">,
  { settings }: Pick<LoopRow, "settings">,
  { network, sources }: Pick<Project, "network" | "sources">,
  phase: NetworkPhase,
): { policy: NetworkPolicy; isFixed: boolean } {
  const said = settings.network ?? (sources.network === "flag" ? network[phase].policy : null);
  if (said !== null) return { policy: said, isFixed: true };
  const { pinned } = config.entry("OPENTIGER_NETWORK_POLICY");
  return { policy: config.get("OPENTIGER_NETWORK_POLICY"), isFixed: pinned };
}

/** Whether one reaches more than the other. They are named from the widest to the narrowest. */
export function isWider(one: NetworkPolicy, other: NetworkPolicy): boolean {
  return networkPolicies.indexOf(one) < networkPolicies.indexOf(other);
}
