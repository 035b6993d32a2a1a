import { allRows, oneRow, type Queryable } from "@opentiger/orchestrator";
import { role, taskFailure } from "@opentiger/schema";
import { z } from "zod";

/** What failed longer ago than this is history. */
const recentDays = 7;

/** More than a person can look after. */
const most = 100;

const about = {
  loop: z.string(),
  requirement: z.string(),
  task: z.object({ id: z.string(), number: z.number(), title: z.string() }).nullable(),
};

const runningRow = z.object({
  ...about,
  run: z.string(),
  agent: z.string(),
  role,
  sandbox: z.string().nullable(),
  lastSeq: z.number(),
  startedAt: z.date(),
  tokens: z.number(),
  usd: z.number().nullable(),
});

const taskOf =
  "case when t.id is null then null else jsonb_build_object('id', t.id, 'number', t.number, 'title', t.title) end as task";

/** The runs that go on, the newest first. */
export function runningNow(on: Queryable) {
  return allRows(
    on,
    runningRow,
    `select r.loop_id as loop, l.requirement, ${taskOf}, r.id as run, r.agent, r.role, r.sandbox,
       r.last_seq as "lastSeq", r.started_at as "startedAt", coalesce(r.token_total, 0) as tokens, r.usd::float8 as usd
     from runs r join loops l on l.id = r.loop_id left join tasks t on t.id = r.task_id
     where r.status = 'running' order by r.ordinal desc limit ${most}`,
  );
}

const waitingRow = z.object({
  ...about,
  state: z.string(),
  detail: z.string().nullable(),
  failure: taskFailure.nullable(),
  since: z.date(),
  until: z.date().nullable(),
});

const stateOf = (table: string) =>
  `case when ${table}.reason is null then ${table}.status else ${table}.status || '(' || ${table}.reason || ')' end as state`;

/**
 * What does not go on by itself, or not for a while: loops that wait for somebody, loops that failed before they had
 * tasks that could, tasks that failed in a loop that somebody may still want, and tasks that wait for a quota.
 */
export function waitingForSomebody(on: Queryable) {
  const failed = "t.status = 'failed' and l.status in ('running', 'paused', 'failed')";
  return allRows(
    on,
    waitingRow,
    `(select l.id as loop, l.requirement, null::jsonb as task, ${stateOf("l")}, l.detail,
        (select failure from runs where loop_id = l.id and task_id is null order by ordinal desc limit 1) as failure,
        l.updated_at as since, null::timestamptz as until
      from loops l
      where l.status in ('awaiting_approval', 'paused')
        or (l.status = 'failed' and l.updated_at > now() - interval '${recentDays} days'
          and not exists (select 1 from tasks where loop_id = l.id and status = 'failed'))
      order by l.updated_at desc limit ${most})
     union all
     (select l.id, l.requirement, jsonb_build_object('id', t.id, 'number', t.number, 'title', t.title), ${stateOf("t")},
        t.detail, (select failure from runs where task_id = t.id order by ordinal desc limit 1), t.updated_at, t.not_before
      from tasks t join loops l on l.id = t.loop_id
      where t.updated_at > now() - interval '${recentDays} days' and (t.reason = 'quota_wait' or (${failed}))
      order by t.updated_at desc limit ${most})
     order by since desc`,
  );
}

/** As far back as the overview shows days. */
const shownDays = 14;

const endedRow = z.object({ day: z.string(), done: z.number(), failed: z.number() });

/** How many tasks came to their end on each of the last days, in UTC; days without any are left out. */
export function endedByDay(on: Queryable) {
  return allRows(
    on,
    endedRow,
    `select to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD') as day,
       count(*) filter (where status = 'done')::int as done, count(*) filter (where status = 'failed')::int as failed
     from tasks
     where status in ('done', 'failed')
       and updated_at >= date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' - interval '${shownDays - 1} days'
     group by 1 order by 1`,
  );
}

/** How many tasks were done within the last hour. */
export async function doneLastHour(on: Queryable): Promise<number> {
  const { done } = await oneRow(
    on,
    z.object({ done: z.number() }),
    "select count(*)::int as done from tasks where status = 'done' and updated_at > now() - interval '1 hour'",
  );
  return done;
}
