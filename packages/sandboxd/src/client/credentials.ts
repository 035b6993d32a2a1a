import { z } from "zod";
import { type BrokeredSandbox, brokeredSandbox } from "../api.ts";
import type { Sandboxd } from "./client.ts";

/** How a sandbox gets what its agent logs in with: `SANDBOX_CREDENTIALS`. */
export const credentialWays = ["broker", "mount", "inject", "none"] as const;
export type CredentialWay = (typeof credentialWays)[number];

/** undefined for a word that is none of the ways. */
export function credentialWay(env: NodeJS.ProcessEnv): CredentialWay | undefined {
  return z.enum(credentialWays).safeParse(env["SANDBOX_CREDENTIALS"] || "broker").data;
}

/** Lets a sandbox use this machine's credentials through the gateway; inside there are placeholders only. */
export function brokerCredentials(sandboxd: Sandboxd, name: string): Promise<BrokeredSandbox> {
  const path = `/sandboxes/${encodeURIComponent(name)}/credentials`;
  return sandboxd.ask({ method: "POST", path }, brokeredSandbox);
}
