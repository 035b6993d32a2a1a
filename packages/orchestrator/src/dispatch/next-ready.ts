import type { StageRole } from "@opentiger/schema";
import { z } from "zod";
import { oneRow, type Queryable } from "../state/rows.ts";

/** In how many milliseconds the next stage may be claimed that waits for its time. undefined: none does. */
export async function nextReady(on: Queryable, roles: readonly StageRole[]): Promise<number | undefined> {
  const { ms } = await oneRow(
    on,
    z.object({ ms: z.number().nullable() }),
    // By role, so that each is one look at the first entry of `stages_claimable`.
    `select (1000 * min(extract(epoch from first.at - now())))::float8 as ms
     from unnest($1::text[]) as wanted (role), lateral (
       select min(not_before) as at from stages
       where state = 'ready' and role = wanted.role and not_before > now()) first`,
    [roles],
  );
  return ms === null ? undefined : Math.max(0, ms);
}
