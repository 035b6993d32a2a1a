import { z } from "zod";
import { allRows, firstRow, type Queryable } from "./rows.ts";

export const preparedImageRow = z.object({
  key: z.string(),
  reference: z.string(),
  /** 0: it is being made, or its maker died. */
  bytes: z.number(),
  usedAt: z.date(),
  /** What it was made from; null where an earlier version made it. */
  baseReference: z.string().nullable(),
  baseId: z.string().nullable(),
});
export type PreparedImageRow = z.infer<typeof preparedImageRow>;

const columns = `key, reference, bytes, used_at as "usedAt", base_reference as "baseReference",
  base_id as "baseId"`;

export async function findPrepared(on: Queryable, key: string): Promise<PreparedImageRow | undefined> {
  return firstRow(on, preparedImageRow, `select ${columns} from prepared_images where key = $1`, [key]);
}

/** Written before the image is made, so that there is never an image that no row knows. */
export async function expectPrepared(
  on: Queryable,
  { key, reference, base }: { key: string; reference: string; base: { reference: string; id: string } },
): Promise<void> {
  await on.query(
    `insert into prepared_images (key, reference, bytes, base_reference, base_id) values ($1, $2, 0, $3, $4)
     on conflict (key) do update set reference = excluded.reference, used_at = now(),
       base_reference = excluded.base_reference, base_id = excluded.base_id`,
    [key, reference, base.reference, base.id],
  );
}

/** It is there, and somebody is about to use it. false: it is not, since it was removed meanwhile. */
export async function touchPrepared(on: Queryable, key: string, bytes: number): Promise<boolean> {
  const asked = "update prepared_images set bytes = $2, used_at = now() where key = $1";
  return (await on.query(asked, [key, bytes])).count > 0;
}

/** The one that was not used for longest comes first. */
export async function preparedByUse(on: Queryable): Promise<PreparedImageRow[]> {
  return allRows(on, preparedImageRow, `select ${columns} from prepared_images order by used_at, key`);
}

/**
 * Whether nobody has used it since, and until the end of the transaction nobody does: who asks for it waits, and finds it
 * as it is then, or not at all.
 */
export async function lockUnused(on: Queryable, { key, usedAt }: PreparedImageRow): Promise<boolean> {
  const asked = `select 1 from prepared_images
    where key = $1 and date_trunc('milliseconds', used_at) <= $2 for update`;
  return (await on.query(asked, [key, usedAt])).rows.length > 0;
}

export async function forgetPrepared(on: Queryable, { key }: PreparedImageRow): Promise<void> {
  await on.query("delete from prepared_images where key = $1", [key]);
}
