import { type StageRole, stageKind } from "@opentiger/schema";
import { z } from "zod";
import { allRows, type Queryable } from "./rows.ts";

const candidateRow = z.object({
  stage: z.number(),
  loop: z.string(),
  task: z.string().nullable(),
  kind: stageKind,
  area: z.array(z.string()).nullable(),
  /** To the microsecond, which a Date does not hold. */
  since: z.string(),
});

/** A stage that was ready when it was read. */
export type Candidate = z.infer<typeof candidateRow>;

/** The first one will do nearly always; what follows is read where paths overlap. */
const batchSize = 20;

/**
 * The ready stages of a role, longest ready first. It reads as many as are looked at, whatever is queued besides, by the
 * index `stages_claimable`. Loops that are put into `closed` meanwhile are left out from the next batch on.
 */
export async function* candidates(
  on: Queryable,
  role: StageRole,
  closed: ReadonlySet<string>,
): AsyncGenerator<Candidate> {
  let last: Candidate | undefined;
  do {
    const batch: Candidate[] = await allRows(on, candidateRow, candidatesQuery, [
      role,
      last?.since ?? "-infinity",
      last?.stage ?? 0,
      [...closed],
      batchSize,
    ]);
    yield* batch;
    last = batch.length === batchSize ? batch.at(-1) : undefined;
  } while (last);
}

/** All that a task may touch; what it is meant to change of tests and protected files comes to what it is allowed. */
export const taskArea =
  "case when cardinality(t.allowed_paths) = 0 then t.allowed_paths else t.allowed_paths || t.may_change end";

export const candidatesQuery = `
  select s.id as stage, s.loop_id as loop, s.task_id as task, s.kind, ${taskArea} as area,
    s.not_before::text as since
  from stages s left join tasks t on t.id = s.task_id
  where s.state = 'ready' and s.role = $1 and s.not_before <= now()
    and (s.not_before, s.id) > ($2::timestamptz, $3::bigint) and s.loop_id <> all ($4::text[])
  order by s.not_before, s.id limit $5`;
