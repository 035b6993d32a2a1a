import { type NetworkSettings, networkSettings } from "@opentiger/schema";
import { elsewhere } from "../inspect.ts";
import { findSandbox } from "../open.ts";
import type { Place } from "../place.ts";
import { recreateSandbox } from "./recreate.ts";

/**
 * Changes what a sandbox may reach. Whoever opens the way out reads it from the record. A container keeps its
 * interfaces for life, so to or from `open` it is made anew around the same files: commands that run are ended.
 */
export async function setNetwork(
  place: Place,
  name: string,
  settings: NetworkSettings,
): Promise<{ recreated: boolean }> {
  const record = findSandbox(place, name);
  if (record.engine !== place.facts.id) throw elsewhere(place, record);
  const network = networkSettings.parse(settings);
  const recreated = (record.network.policy === "open") !== (network.policy === "open");
  if (recreated) await recreateSandbox(place, record, network);
  else place.state.records.update(record.id, (latest) => ({ ...latest, network }));
  return { recreated };
}
