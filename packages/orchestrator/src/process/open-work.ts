import { z } from "zod";
import { oneRow, type Queryable } from "../state/rows.ts";

/**
 * Whether there is a loop that a dispatcher moves on, now or when its time comes, or a stage that somebody works on, or
 * could: what has passed is merged also where a loop waits for a budget.
 */
export async function hasOpenWork(on: Queryable): Promise<boolean> {
  const { open } = await oneRow(
    on,
    z.object({ open: z.boolean() }),
    `select exists (select 1 from loops where status in ('planning', 'running'))
       or exists (select 1 from stages where state = 'claimed')
       or exists (select 1 from stages where state = 'ready')
       or exists (select 1 from runs where status = 'running') as open`,
  );
  return open;
}
