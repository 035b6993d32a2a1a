import { loopSettings } from "@opentiger/schema";

/** As much of a loop as preparing needs. Its user lets the project's file reach the gates of this machine. */
export function loopOf(id: string, settings: object = {}, baseOid: string | null = null) {
  return { id, baseOid, settings: loopSettings.parse({ projectNetwork: "give", ...settings }) };
}
