import assert from "node:assert/strict";
import { stageKind, stageState } from "@opentiger/schema";
import { z } from "zod";
import type { BelievedLoop } from "./believed-loop.ts";
import { type EventRow, listEvents } from "./events.ts";
import { findLoop } from "./loops.ts";
import { allRows, type Queryable } from "./rows.ts";
import { runningRuns, strayRuns } from "./runs.ts";

/** The tables say what is believed, and what is never allowed is not there. */
export async function checkTables(on: Queryable, loop: string, believed: BelievedLoop): Promise<void> {
  const shape = z.object({
    state: z.string(),
    kind: stageKind.nullable(),
    stage: stageState.nullable(),
    fence: z.number().nullable(),
    merged: z.boolean(),
  });
  const rows = await allRows(
    on,
    shape,
    `select t.status || coalesce('(' || t.reason || ')', '') as state, s.kind, s.state as stage,
       case when s.state = 'claimed' then s.fence end as fence, t.merged_oid is not null as merged
     from tasks t left join stages s on s.task_id = t.id and s.state <> 'ended'
     where t.loop_id = $1 order by t.number`,
    [loop],
  );
  const expected = believed.tasks.map((task) => ({
    state: task.state,
    kind: task.stage,
    stage: believed.stageState(task),
    fence: task.lease?.fence ?? null,
    merged: task.merged,
  }));
  assert.deepEqual(rows, expected);
  believed.checkTogether();
  await checkRuns(on, believed);
}

/** A run goes on under the lease of its stage, or is found as a stray: none is forgotten. */
async function checkRuns(on: Queryable, believed: BelievedLoop): Promise<void> {
  const strays = (await strayRuns(on)).map(({ id }) => id);
  assert.deepEqual(new Set(strays), believed.strays);
  const going = (await runningRuns(on)).map(({ id }) => id).filter((id) => !believed.strays.has(id));
  assert.deepEqual(new Set(going), new Set(believed.tasks.flatMap(({ run }) => run ?? [])));
}

/** One event for each change and no other, each beginning where the one before ended. */
export async function checkEvents(
  on: Queryable,
  { id, branchOid }: { id: string; branchOid: string | null },
  believed: BelievedLoop,
): Promise<void> {
  const events = (await allEvents(on, id)).filter(({ run }) => run === null);
  const step = z.object({ from: z.string().optional(), to: z.string() });
  for (const { row, state, changes } of believed.tasks) {
    const steps = events.filter(({ task }) => task === row.id).map(({ data }) => step.parse(data));
    assert.equal(steps.length, changes + 1);
    for (const [index, { from }] of steps.entries()) assert.equal(from, steps[index - 1]?.to);
    assert.equal(steps.at(-1)?.to, state);
  }
  const steps = events.filter(({ task }) => task === null).map(({ data }) => step.parse(data));
  assert.equal(steps.length, believed.changes + 1);
  assert.equal(steps.at(-1)?.to, believed.state);
  assert.equal((await findLoop(on, id))?.branchOid, branchOid);
}

async function allEvents(on: Queryable, loop: string): Promise<EventRow[]> {
  const events: EventRow[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: Awaited<ReturnType<typeof listEvents>> = await listEvents(on, { loop, after, limit: 500 });
    events.push(...page.items);
    after = page.next;
  }
  return events;
}
