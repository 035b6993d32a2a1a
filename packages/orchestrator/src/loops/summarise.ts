import { judgementWord, type LoopSummary } from "@opentiger/schema";
import { z } from "zod";
import { allRows, type Queryable } from "../state/rows.ts";
import { usageOfLoop } from "../state/usage.ts";
import { existingLoop } from "./existing.ts";
import { tasksOf } from "./tasks-of.ts";

const ends = ["done", "failed", "cancelled"] as const;

/** What there is to say of a loop: what was done and judged, what it cost, what is left. */
export async function summarise(on: Queryable, id: string): Promise<LoopSummary> {
  const loop = await existingLoop(on, id);
  const tasks = await tasksOf(on, id);
  const facts = await factsOf(on, id);
  const { tokens, usd } = await usageOfLoop(on, id);
  const [done, failed, cancelled] = ends.map((end) => tasks.filter(({ state }) => state === end).length);
  const merged = new Set(tasks.flatMap(({ mergedOid }) => (mergedOid === null ? [] : [mergedOid])));
  return {
    done: done ?? 0,
    failed: failed ?? 0,
    cancelled: cancelled ?? 0,
    left: tasks.filter(({ state }) => ends.every((end) => end !== state)).length,
    commits: merged.size,
    branch: loop.branch,
    tokens,
    usd,
    tasks: tasks.map(({ id: task, number, title, state, detail }) => ({
      number,
      title,
      state,
      detail,
      runs: facts.get(task)?.runs ?? 0,
      judgement: facts.get(task)?.judgement ?? null,
    })),
  };
}

const factRow = z.object({ id: z.string(), runs: z.number(), judgement: judgementWord.nullable() });

/** Of each task, how many runs it had of its own role, and the last judgement. */
async function factsOf(on: Queryable, loop: string): Promise<Map<string, z.infer<typeof factRow>>> {
  const rows = await allRows(
    on,
    factRow,
    `select t.id, (select count(*) from runs r where r.task_id = t.id and r.role = t.role) as runs,
       (select j.judgement from judgements j where j.task_id = t.id order by j.id desc limit 1) as judgement
     from tasks t where t.loop_id = $1`,
    [loop],
  );
  return new Map(rows.map((row) => [row.id, row]));
}
