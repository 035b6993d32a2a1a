import type { CheckRound } from "@opentiger/schema";
import type { Place } from "../place.ts";
import { reachTheSame } from "../project/network.ts";
import { removeSeen } from "../project/remove-sandbox.ts";
import { makeSandbox, type SandboxRequest } from "../project/sandbox.ts";
import { leftToOthers } from "../stage/lease-lost.ts";
import { baselineOf, knownBaseline } from "./baseline.ts";

export type ApartRequest = Omit<SandboxRequest, "phase">;

/**
 * Whether a sandbox in which agents work is no place for a baseline: checks may reach other hosts than they. On the host
 * nobody is kept from anything.
 */
export function isTakenApart(
  place: Pick<Place, "config">,
  request: Pick<SandboxRequest, "environment" | "loop" | "project">,
): boolean {
  return request.environment !== "host" && !reachTheSame(place, request, "run", "verify");
}

/** A baseline from a sandbox that is made for it, reaches what the judge's checks reach, and goes when it is known. */
export async function baselineApart(place: Place, request: ApartRequest): Promise<CheckRound> {
  const asked = { ...request, key: request.prepared.key };
  const known = await knownBaseline(place, asked);
  if (known) return known;
  const sandbox = await makeSandbox(place, { ...request, phase: "verify" });
  try {
    return await baselineOf(place, { ...asked, sandbox });
  } finally {
    await sandbox.close().catch(() => {});
    if (!leftToOthers(request.signal)) await removeSeen(await place.backend(request.environment), sandbox);
  }
}
