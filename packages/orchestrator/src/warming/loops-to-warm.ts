import type { ConfigValue, ExecutionEnvironment, LoopSource } from "@opentiger/schema";
import { z } from "zod";
import { findLoop, type LoopRow } from "../state/loops.ts";
import { allRows, type Queryable } from "../state/rows.ts";

/** A loop that is going to need sandboxes. */
export interface LoopToWarm {
  loop: LoopRow;
  /** How many at least, as far as that is known and asked for. */
  open: number;
}

export interface ToWarmRequest {
  /** So many sandboxes are made ahead of need, in all. */
  size: number;
  /** EXECUTION_ENVIRONMENT. */
  usual: ExecutionEnvironment;
  /** OPENTIGER_APPROVE_PLANS. */
  approve: ConfigValue<"OPENTIGER_APPROVE_PLANS">;
}

/**
 * Loops in sandboxes that run, or are about to: of the oldest as many as can have one each. A task that nobody has begun
 * needs one for its run; one that is being worked on, or waits for its judgement, one for its judge.
 */
export async function loopsToWarm(
  on: Queryable,
  { size, usual, approve }: ToWarmRequest,
): Promise<LoopToWarm[]> {
  if (size === 0) return [];
  const rows = await allRows(
    on,
    z.object({ id: z.string(), open: z.number() }),
    `select * from (
       select l.id, l.ordinal, l.status, (select count(*) from (
         select 1 from stages s
         where s.loop_id = l.id and s.state <> 'ended' and s.kind in ('run', 'judge')
           and not (s.kind = 'judge' and s.state = 'claimed') limit $1) s)::int as open
       from loops l where l.status in ('planning', 'running') and l.base_oid is not null
         and coalesce(l.settings->>'environment', $2) <> 'host') l
     where open > 0 or status = 'planning' order by ordinal limit $1`,
    [size, usual],
  );
  const found: LoopToWarm[] = [];
  for (const { id, open } of rows) {
    const loop = await findLoop(on, id);
    if (!loop) continue;
    const expected = loop.state === "planning" ? expectedTasks(loop, approve, size) : open;
    if (expected > 0) found.push({ loop, open: Math.min(expected, size) });
  }
  return found;
}

/** Before there is a plan. One that a person is going to look at first begins whenever that is. */
function expectedTasks(
  { source, settings }: Pick<LoopRow, "source" | "settings">,
  usual: ToWarmRequest["approve"],
  size: number,
): number {
  if (settings.dryRun || (settings.approve ?? usual === "yes")) return 0;
  return countOf(source) ?? size;
}

function countOf(source: LoopSource): number | undefined {
  if (source.kind === "single") return 1;
  return source.kind === "stories" ? source.tasks.length : undefined;
}
