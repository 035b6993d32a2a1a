import { loopSettings } from "@opentiger/schema";

/** As much of a loop as preparing needs. */
export function loopOf(id: string, settings: object = {}) {
  return { id, settings: loopSettings.parse(settings) };
}
