import { stageKind } from "@opentiger/schema";
import { z } from "zod";
import { allRows, type Queryable } from "./rows.ts";

const inLine = z.object({
  task: z.string(),
  kind: stageKind,
  claimed: z.boolean(),
  /** It could be claimed now. */
  ready: z.boolean(),
});

/** One of the candidates of a loop that have passed, and are not on its branch yet. */
export type InLine = z.infer<typeof inLine>;

/**
 * The candidates of a loop that have passed, in the order in which they come to its branch: who is to be merged before who
 * is to be judged again, and then who passed first. It is made of what is known of them, so that nobody has to keep it.
 */
export async function mergeLine(on: Queryable, loop: string): Promise<InLine[]> {
  return allRows(
    on,
    inLine,
    `select t.id as task, s.kind, s.state = 'claimed' as claimed,
       s.state = 'ready' and s.not_before <= now() as ready
     from tasks t join stages s on s.task_id = t.id and s.state <> 'ended', lateral (
       select min(j.id) as first from judgements j
       where j.task_id = t.id and j.candidate_oid = t.candidate_oid and j.judgement = 'pass') passed
     where t.loop_id = $1 and t.reason = 'awaiting_judge' and passed.first is not null
     order by s.kind <> 'merge', passed.first`,
    [loop],
  );
}

/**
 * Whether it may be judged or merged now. Of those that have passed one at a time goes on, from its last judgement until
 * it is on the branch: so nobody moves the tip under it. Others are judged beside it, but for the moment in which the tip
 * is about to move: what they would be judged on is not the branch any more when they are done.
 */
export function isItsTurn(line: readonly InLine[], task: string | null): boolean {
  const next = line.find(({ claimed }) => claimed) ?? line.find(({ ready }) => ready);
  return line.some((each) => each.task === task) ? next?.task === task : next?.kind !== "merge";
}
