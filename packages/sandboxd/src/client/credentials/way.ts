import { z } from "zod";

/** How a sandbox gets what its agent logs in with: `SANDBOX_CREDENTIALS`. */
export const credentialWays = ["broker", "mount", "inject", "none"] as const;
export type CredentialWay = (typeof credentialWays)[number];

/** undefined for a word that is none of the ways. */
export function credentialWay(env: NodeJS.ProcessEnv): CredentialWay | undefined {
  return z.enum(credentialWays).safeParse(env["SANDBOX_CREDENTIALS"] || "broker").data;
}
