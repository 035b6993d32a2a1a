import type { Role } from "@opentiger/schema";
import type { Place } from "../place.ts";
import { LeaseLost } from "../stage/lease-lost.ts";
import type { Lease } from "../state/lease.ts";
import { type RunRow, runOfStage, startRun } from "../state/runs.ts";

export interface OpenRunRequest {
  agent: string;
  role: Role;
  baseOid: string | null;
}

/**
 * The run of this stage: the one that an earlier holder of the lease began, which goes on under its number, else a new
 * one. Throws LeaseLost where the stage is somebody else's.
 */
export async function openRun(
  { database }: Pick<Place, "database">,
  lease: Lease,
  request: OpenRunRequest,
): Promise<RunRow> {
  return database.transaction(async (on) => {
    const run = (await runOfStage(on, lease.stage)) ?? (await startRun(on, lease, request));
    if (!run) throw new LeaseLost(lease.stage);
    return run;
  });
}
