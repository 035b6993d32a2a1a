import { type JudgementWord, judgementWord } from "@opentiger/schema";
import { z } from "zod";
import { onePage, type Page, type PageRequest } from "./page.ts";
import { oneRow, type Queryable } from "./rows.ts";

export interface NewJudgement {
  task: string;
  run: string | null;
  candidateOid: string;
  baseOid: string;
  judgement: JudgementWord;
  evidence: unknown;
  points: readonly unknown[];
}

export const judgementRow = z.object({
  id: z.number(),
  task: z.string(),
  run: z.string().nullable(),
  candidateOid: z.string(),
  baseOid: z.string(),
  judgement: judgementWord,
  /** Whoever judges knows its form. */
  evidence: z.unknown(),
  points: z.array(z.unknown()),
  at: z.date(),
});
export type JudgementRow = z.infer<typeof judgementRow>;

const columns = `id, task_id as task, run_id as run, candidate_oid as "candidateOid", base_oid as "baseOid",
  judgement, evidence, points, at`;

/** Part of the transaction that moves the task on: a judgement that changed nothing was not made. */
export async function addJudgement(on: Queryable, added: NewJudgement): Promise<number> {
  const { task, run, candidateOid, baseOid, judgement, evidence, points } = added;
  const { id } = await oneRow(
    on,
    z.object({ id: z.number() }),
    `insert into judgements (task_id, run_id, candidate_oid, base_oid, judgement, evidence, points)
     values ($1, $2, $3, $4, $5, $6::jsonb, $7::jsonb) returning id`,
    [task, run, candidateOid, baseOid, judgement, JSON.stringify(evidence), JSON.stringify(points)],
  );
  return id;
}

/** Of a task, oldest first. */
export async function listJudgements(
  on: Queryable,
  { task, ...page }: { task: string } & PageRequest,
): Promise<Page<JudgementRow>> {
  return onePage(
    on,
    judgementRow,
    `select ${columns}, id as place from judgements
     where task_id = $3 and id > coalesce($1::bigint, 0) order by id limit $2`,
    page,
    [task],
  );
}
