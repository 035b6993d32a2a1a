import type { StageRole } from "@opentiger/schema";
import { z } from "zod";
import { ownerHasEnded } from "../process/owner.ts";
import type { Database } from "../state/database.ts";
import { type Lease, takeOver } from "../state/lease.ts";
import { allRows } from "../state/rows.ts";

export interface Taker {
  owner: string;
  leaseMs: number;
  roles: readonly StageRole[];
  /** The stages that this process works on. */
  own: ReadonlySet<number>;
}

export interface TakenOver {
  leases: Lease[];
  /** Whether others still work, who may end without a word. */
  others: boolean;
}

const claimedRow = z.object({
  stage: z.number(),
  loop: z.string(),
  task: z.string().nullable(),
  fence: z.number(),
  owner: z.string(),
  expired: z.boolean(),
});

/**
 * Takes over what nobody works on any more, though it is claimed: its lease has expired, its owner is known to have
 * ended, or it is this process's own by a claim whose answer was lost. Of several who try, one gets it.
 */
export async function takeOverAbandoned(database: Database, taker: Taker): Promise<TakenOver> {
  const claimed = await allRows(
    database,
    claimedRow,
    `select id as stage, loop_id as loop, task_id as task, fence, owner, lease_until < now() as expired from stages
     where state = 'claimed' and role = any ($1::text[]) order by lease_until, id`,
    [taker.roles],
  );
  const foreign = claimed.filter(({ stage, owner }) => owner !== taker.owner || !taker.own.has(stage));
  const leases: Lease[] = [];
  for (const stage of foreign) {
    const ended = stage.owner === taker.owner || ownerHasEnded(stage.owner);
    if (!ended && !stage.expired) continue;
    const { owner, leaseMs } = taker;
    // One that lives and was only late may have been heard since; then nothing is taken.
    const how = { owner, leaseMs, ...(ended ? { deadOwner: stage.owner } : {}) };
    const lease = await takeOver(database, stage, how);
    if (lease) leases.push(lease);
  }
  return { leases, others: foreign.length > leases.length };
}
