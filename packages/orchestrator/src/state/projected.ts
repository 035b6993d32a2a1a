import type { LoopRow } from "./loops.ts";
import type { Queryable } from "./rows.ts";
import { withoutUnshown } from "./unshown.ts";

/**
 * Writes down what the user's repository shows of the branch, and that nothing hinders that any more. Nothing is done
 * where somebody else did since.
 */
export async function noteProjected(
  on: Queryable,
  { id, projectedOid }: Pick<LoopRow, "id" | "projectedOid">,
  oid: string,
): Promise<void> {
  await on.query(
    `update loops set projected_oid = $2, detail = ${withoutUnshown("detail")}, updated_at = now()
     where id = $1 and projected_oid is not distinct from $3`,
    [id, oid, projectedOid],
  );
}
