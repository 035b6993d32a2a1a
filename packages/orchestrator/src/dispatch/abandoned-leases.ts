import type { StageRole } from "@opentiger/schema";
import { z } from "zod";
import { ownerHasEnded } from "../process/owner.ts";
import { isPassing } from "../stage/passing-trouble.ts";
import type { Database } from "../state/database.ts";
import { type Lease, takeOver } from "../state/lease.ts";
import { tryLockLoop } from "../state/locks.ts";
import { allRows } from "../state/rows.ts";

export interface Taker {
  owner: string;
  leaseMs: number;
  roles: readonly StageRole[];
  /** The stages that this process works on. */
  own: ReadonlySet<number>;
  /** Works on it from now on. */
  begin(lease: Lease): void;
  /** Hears of a loop of which nothing can be taken over; others are all the same. */
  onTrouble(loop: string, error: unknown): void;
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
 * ended, or it is this process's own by a claim whose answer was lost. Of several who try, one gets it, and begins at once:
 * what fails afterwards, with another, takes nothing back. Says whether others still work, who may end without a word, or
 * something has to be looked at again.
 */
export async function takeOverAbandoned(database: Database, taker: Taker): Promise<{ others: boolean }> {
  const claimed = await allRows(
    database,
    claimedRow,
    `select id as stage, loop_id as loop, task_id as task, fence, owner, lease_until < now() as expired from stages
     where state = 'claimed' and role = any ($1::text[]) order by lease_until, id`,
    [taker.roles],
  );
  const foreign = claimed.filter(({ stage, owner }) => owner !== taker.owner || !taker.own.has(stage));
  let left = foreign.length;
  for (const stage of foreign) {
    const lease = await taken(database, stage, taker).catch((error: unknown) => {
      if (isPassing(error)) throw error;
      taker.onTrouble(stage.loop, error);
    });
    if (!lease) continue;
    taker.begin(lease);
    left -= 1;
  }
  return { others: left > 0 };
}

async function taken(
  database: Database,
  stage: z.infer<typeof claimedRow>,
  { owner, leaseMs }: Taker,
): Promise<Lease | undefined> {
  const ended = stage.owner === owner || ownerHasEnded(stage.owner);
  if (!ended && !stage.expired) return undefined;
  // One that lives and was only late may have been heard since; then nothing is taken.
  const how = { owner, leaseMs, ...(ended ? { deadOwner: stage.owner } : {}) };
  return database.transaction(async (on) =>
    // Not waited for, as in a claim: whoever keeps this loop for long would keep us from all the others.
    (await tryLockLoop(on, stage.loop)) ? takeOver(on, stage, how) : undefined,
  );
}
