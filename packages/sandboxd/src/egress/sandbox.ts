import type { NetworkSettings } from "@opentiger/schema";

/** What egress knows of the sandbox from which a stream comes. */
export interface EgressSandbox {
  readonly id: string;
  readonly name: string;
  /** As they are now: asked anew for every connection. */
  settings(): NetworkSettings;
  /** Where the gateway for this host is, when its credential is brokered. The host is in canonical form. */
  brokered(host: string): string | undefined;
}
