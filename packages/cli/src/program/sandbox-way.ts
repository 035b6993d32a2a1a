import type { CredentialWay } from "@opentiger/sandboxd";
import type { FolderMount } from "@opentiger/schema";

/**
 * How a sandbox comes by what its agent logs in with. Brokered and mounted ones were made so and stay so; `inject` is
 * with whoever runs a command, so there the asker's own way counts.
 */
export function sandboxWay(about: {
  granted: boolean;
  mounts: readonly FolderMount[];
  asked: CredentialWay;
}): CredentialWay {
  if (about.granted) return "broker";
  if (about.mounts.length > 0) return "mount";
  return about.asked === "inject" ? "inject" : "none";
}
