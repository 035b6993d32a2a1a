import { createRoute, z } from "@hono/zod-openapi";
import { judgementRow, onePage } from "@opentiger/orchestrator";
import { judgementWord } from "@opentiger/schema";
import type { Parts } from "../parts.ts";
import { answers, newApi } from "./api.ts";
import { pageOf, pageQuery } from "./paging.ts";
import { judgementShape, loopId } from "./shapes.ts";

const of = { loop: loopId, number: z.number().int(), title: z.string() };
const judgement = judgementShape.extend(of).openapi("JudgementOfTask");

const row = judgementRow.extend({ loop: z.string(), number: z.number(), title: z.string() });

const route = createRoute({
  method: "get",
  path: "/judgements",
  tags: ["judgements"],
  summary: "What the judge said of all tasks, the newest first, with the evidence",
  request: { query: pageQuery.extend({ judgement: judgementWord.optional() }) },
  responses: answers(pageOf(judgement).openapi("JudgementsOfTasks"), "A page of them"),
});

export function judgementsApi({ place }: Parts) {
  return newApi().openapi(route, async (c) => {
    const { judgement: word, ...page } = c.req.valid("query");
    const found = await onePage(
      place.database,
      row,
      `select j.id, j.task_id as task, j.run_id as run, j.candidate_oid as "candidateOid", j.base_oid as "baseOid",
         j.judgement, j.evidence, j.points, j.at, t.loop_id as loop, t.number, t.title, j.id as place
       from judgements j join tasks t on t.id = j.task_id
       where ($1::bigint is null or j.id < $1) and ($3::text is null or j.judgement = $3)
       order by j.id desc limit $2`,
      page,
      [word ?? null],
    );
    return c.json(found, 200);
  });
}
