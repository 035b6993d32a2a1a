import {
  type JudgementEvidence,
  type JudgementWord,
  judgementEvidence,
  judgementWord,
  type ReworkPoint,
  reworkPoint,
} from "@opentiger/schema";
import { z } from "zod";
import { onePage, type Page, type PageRequest } from "./page.ts";
import { firstRow, oneRow, type Queryable } from "./rows.ts";
import { storableJson } from "./storable.ts";

export interface NewJudgement {
  task: string;
  run: string | null;
  candidateOid: string;
  baseOid: string;
  judgement: JudgementWord;
  evidence: JudgementEvidence;
  points: readonly ReworkPoint[];
}

export const judgementRow = z.object({
  id: z.number(),
  task: z.string(),
  run: z.string().nullable(),
  candidateOid: z.string(),
  baseOid: z.string(),
  judgement: judgementWord,
  evidence: judgementEvidence,
  points: z.array(reworkPoint),
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
    [task, run, candidateOid, baseOid, judgement, storableJson(evidence), storableJson(points)],
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

/** The newest of a task; undefined where it was not judged yet. */
export async function lastJudgement(on: Queryable, task: string): Promise<JudgementRow | undefined> {
  return firstRow(
    on,
    judgementRow,
    `select ${columns} from judgements where task_id = $1 order by id desc limit 1`,
    [task],
  );
}

/** The newest of this candidate that is a pass; undefined where there is none. */
export async function lastPass(
  on: Queryable,
  { task, candidateOid }: { task: string; candidateOid: string },
): Promise<JudgementRow | undefined> {
  return firstRow(
    on,
    judgementRow,
    `select ${columns} from judgements where task_id = $1 and candidate_oid = $2 and judgement = 'pass'
     order by id desc limit 1`,
    [task, candidateOid],
  );
}
