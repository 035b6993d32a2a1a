import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { soak } from "../../../../tests/setup/soak.ts";
import { newTask } from "../fixture/temporary-loops.ts";
import { type TemporaryPlace, temporaryPlace } from "../fixture/temporary-place.ts";
import { beginnings, type Deed, WholeLoop } from "../fixture/whole-loop.ts";
import { listEvents } from "./events.ts";

let place: TemporaryPlace;

beforeAll(async () => {
  place = await temporaryPlace();
});

afterAll(() => place.remove());

const which = fc.nat({ max: 30 });
const lost = fc.boolean();

const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("claim" as const), lost }) },
  {
    weight: 9,
    arbitrary: fc.record({ kind: fc.constant("use" as const), lease: which, choice: which, lost }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("loop" as const), choice: which }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("task" as const), task: which, choice: which, other: which }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("die" as const) }) },
);

/** One after the other, or two at once on two connections. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(deed) },
  { weight: 1, arbitrary: fc.tuple(deed, deed) },
);

const plan = fc
  .array(fc.record({ need: which, area: fc.constantFrom("a", "b", "") }), { minLength: 2, maxLength: 5 })
  .map((tasks) =>
    tasks.map(({ need, area }, index) =>
      newTask(`t${index + 1}`, {
        needs: index === 0 || need % 3 === 0 ? [] : [1 + (need % index)],
        allowedPaths: area === "" ? [] : [`${area}/**`],
      }),
    ),
  );

/** Of the events that there were in any of the loops. */
const happened = new Set<string>();

/** Rows that wait for nobody: neither for a process, nor for a person, nor for a task that itself goes on. */
const forsaken = `
  select 'loop ' || l.status as what from loops l where
    (l.status = 'planning' and not exists (
      select 1 from stages s where s.loop_id = l.id and s.kind = 'plan' and s.state in ('ready', 'claimed')))
    or (l.status = 'awaiting_approval' and not exists (select 1 from tasks t where t.loop_id = l.id))
    or (l.status = 'running' and not exists (
      select 1 from tasks t where t.loop_id = l.id and (t.status in ('queued', 'running')
        or (t.status = 'blocked' and t.reason <> 'dependency_failed'))))
    or (l.status in ('done', 'failed', 'cancelled') and exists (
      select 1 from stages s where s.loop_id = l.id and s.state = 'claimed' and s.kind = 'plan'))
  union all
  select 'task ' || t.number || ' ' || t.status || coalesce('(' || t.reason || ')', '') || ' in a loop ' || l.status
  from tasks t join loops l on l.id = t.loop_id where
    ((t.status in ('queued', 'running') or t.reason in ('awaiting_judge', 'quota_wait', 'needs_rework'))
      and not exists (select 1 from stages s where s.task_id = t.id and s.state <> 'ended'))
    or (t.reason = 'awaiting_approval' and l.status in ('running', 'planning'))
    or (l.status = 'running' and (t.status = 'queued' or t.reason in ('needs_rework', 'quota_wait')) and exists (
      select 1 from task_dependencies d join tasks n on n.id = d.needs_id
      where d.task_id = t.id and (n.status in ('failed', 'cancelled') or n.reason = 'dependency_failed')))
    or (l.status = 'running' and t.reason = 'dependency_failed' and not exists (
      with recursive needed (id) as (
        select d.needs_id from task_dependencies d where d.task_id = t.id
        union select d.needs_id from needed join task_dependencies d on d.task_id = needed.id)
      select 1 from needed join tasks n on n.id = needed.id where n.status in ('failed', 'cancelled')))
    or (l.status = 'cancelled' and t.status not in ('done', 'failed', 'cancelled'))
  union all
  select 'run ' || r.role from runs r join stages s on s.id = r.stage_id
  where r.status = 'running' and s.state <> 'claimed'
  union all
  select 'stage ' || s.kind || ' waits although it may begin' from stages s join tasks t on t.id = s.task_id
  join loops l on l.id = s.loop_id
  where s.state = 'waiting' and l.status = 'running' and not exists (
    select 1 from task_dependencies d join tasks n on n.id = d.needs_id
    where d.task_id = t.id and n.status <> 'done')`;

it("whatever is done to a loop, in whatever order and at once: what nobody works on comes to rest, and nothing waits for nobody", async () => {
  const property = fc.asyncProperty(
    plan,
    fc.constantFrom(...beginnings),
    fc.array(step, { minLength: 10, maxLength: 30, size: "max" }),
    fc.constantFrom("left", "left", "left", "cancelled"),
    async (tasks, beginning, steps, end) => {
      const loop = await WholeLoop.create(place, tasks, beginning);
      for (const deeds of steps) await Promise.all(deeds.map((each) => loop.act(each)));
      if (end === "cancelled") await loop.act({ kind: "cancel" });
      await loop.settle();
      for (const { type } of (await listEvents(place.database, { loop: loop.id, limit: 500 })).items)
        happened.add(type);
      expect((await place.database.query(forsaken)).rows).toEqual([]);
    },
  );
  await fc.assert(property, { numRuns: soak ? 400 : 40, endOnFailure: true });
  // In few sequences not all of it comes about by chance.
  if (!soak) return;
  const often = ["loop.planned", "task.claim", "task.submit", "task.edit", "run.succeed"];
  expect([...happened]).toEqual(expect.arrayContaining(often));
}, 900_000);
