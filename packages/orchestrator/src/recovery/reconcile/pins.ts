import { z } from "zod";
import { LoopRepository } from "../../git/repository.ts";
import type { Place } from "../../place.ts";
import { findRepository } from "../../state/repositories.ts";
import { allRows } from "../../state/rows.ts";
import type { CleanOptions } from "./clean-options.ts";

const endedRow = z.object({
  id: z.string(),
  repository: z.string(),
  branchOid: z.string().nullable(),
  numbers: z.array(z.number()),
});
type Ended = z.infer<typeof endedRow>;

/**
 * Lets go of the commits of tasks that nobody goes on with, in loops that have ended: of those that are on the branch,
 * and of all where the loop was cancelled. The base and the branch stay for who merges them; a failed task may be retried
 * from its own, and tests that wait for their code are needed then.
 */
export async function unpinEnded(place: Place, { signal, endedWithinMs }: CleanOptions = {}): Promise<void> {
  const { database } = place;
  const ended = await allRows(
    database,
    endedRow,
    `select l.id, l.repository_id as repository, l.branch_oid as "branchOid",
       array(select t.number from tasks t
         where t.loop_id = l.id and (t.merged_oid is not null or l.status = 'cancelled') order by t.number) as numbers
     from loops l where l.status in ('done', 'failed', 'cancelled')
       and ($1::float8 is null or l.ended_at > now() - $1 * interval '1 millisecond')
     order by l.ordinal`,
    [endedWithinMs ?? null],
  );
  for (const loop of ended) {
    if (signal?.aborted) return;
    // One whose repository is broken keeps the others from nothing.
    await unpin(place, loop, signal).catch((error: unknown) => {
      if (!signal?.aborted) place.log(`pins of loop ${loop.id}: ${String(error)}`);
    });
  }
}

async function unpin(place: Place, loop: Ended, signal: AbortSignal | undefined): Promise<void> {
  const known = await findRepository(place.database, loop.repository);
  if (!known || loop.numbers.length === 0) return;
  const repository = await LoopRepository.open(place, known, signal);
  const own = new Set(loop.numbers.map((number) => `task-${number}`));
  const pins = await repository.pins(loop.id);
  // Until the branch itself is pinned, these alone keep its commits.
  if ((pins.get("branch") ?? pins.get("base")) !== loop.branchOid) return;
  for (const name of pins.keys()) {
    if (own.has(name.split("/")[0] ?? "")) await repository.unpin(loop.id, name);
  }
}
