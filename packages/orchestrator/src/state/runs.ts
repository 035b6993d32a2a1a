import { type Role, type RunStatus, role, runStatus, taskFailure, tokenCount } from "@opentiger/schema";
import { z } from "zod";
import { columnSettings, type RunColumns } from "./change-columns.ts";
import { Database } from "./database.ts";
import { appendEvent } from "./events.ts";
import type { Lease } from "./lease.ts";
import { lockLoop } from "./locks.ts";
import { onePage, type Page, type PageRequest } from "./page.ts";
import { allRows, firstRow, type Queryable } from "./rows.ts";

export interface NewRun extends RunColumns {
  agent: string;
  role: Role;
  baseOid?: string | null;
}

export const runRow = z.object({
  id: z.string(),
  loop: z.string(),
  task: z.string().nullable(),
  stage: z.number(),
  number: z.number(),
  agent: z.string(),
  role,
  state: runStatus,
  failure: taskFailure.nullable(),
  session: z.string().nullable(),
  /** As the agent called it when it began. */
  model: z.string().nullable(),
  sandbox: z.string().nullable(),
  execId: z.string().nullable(),
  transcript: z.string().nullable(),
  lastSeq: z.number(),
  tokens: tokenCount.nullable(),
  usd: z.number().nullable(),
  baseOid: z.string().nullable(),
  candidateOid: z.string().nullable(),
  startedAt: z.date(),
  endedAt: z.date().nullable(),
});
export type RunRow = z.infer<typeof runRow>;

const columns = `id, loop_id as loop, task_id as task, stage_id as stage, number, agent, role, status as state, failure,
  session, model, sandbox, exec_id as "execId", transcript, last_seq as "lastSeq", tokens, usd::float8 as usd,
  base_oid as "baseOid", candidate_oid as "candidateOid", started_at as "startedAt", ended_at as "endedAt"`;

/** True while nobody else has claimed or ended the stage, and until the transaction ends. `$1` is it, `$2` the fence. */
const leaseHolds =
  "exists (select 1 from stages where id = $1 and fence = $2 and state = 'claimed' for share)";

/** A new run under this lease, numbered on. undefined: the lease is over, and nothing was written. */
export async function startRun(
  on: Database | Queryable,
  lease: Lease,
  added: NewRun,
): Promise<RunRow | undefined> {
  if (on instanceof Database) return on.transaction((connection) => startRun(connection, lease, added));
  await lockLoop(on, lease.loop);
  const run = await firstRow(
    on,
    runRow,
    `insert into runs (loop_id, task_id, stage_id, number, agent, role, status, base_oid, session, sandbox)
     select $3, $4::uuid, $1,
       1 + coalesce((select max(number) from runs where loop_id = $3 and task_id is not distinct from $4::uuid), 0),
       $5, $6, 'running', $7, $8, $9
     where ${leaseHolds} returning ${columns}`,
    [
      lease.stage,
      lease.fence,
      lease.loop,
      lease.task,
      added.agent,
      added.role,
      added.baseOid ?? null,
      added.session ?? null,
      added.sandbox ?? null,
    ],
  );
  if (!run) return undefined;
  const data = { to: "running", number: run.number, agent: run.agent, role: run.role };
  await appendEvent(on, { loop: run.loop, task: run.task, run: run.id, type: "run.create", data });
  return run;
}

/** Writes down what became known of a run that goes on. false: it does not, or the lease is over. */
export async function noteRun(on: Queryable, lease: Lease, run: string, set: RunColumns): Promise<boolean> {
  const values: unknown[] = [lease.stage, lease.fence, run];
  const settings = columnSettings("run", { ...set }, values);
  if (settings.length === 0) return true;
  const { count } = await on.query(
    `update runs set ${settings.join(", ")} where id = $3 and status = 'running' and ${leaseHolds}`,
    values,
  );
  return count > 0;
}

export async function findRun(on: Queryable, id: string): Promise<RunRow | undefined> {
  return firstRow(on, runRow, `select ${columns} from runs where id = $1`, [id]);
}

interface RunFilter {
  loop?: string;
  status?: RunStatus;
  role?: Role;
  agent?: string;
}

/** Of a loop, or of all; the newest first. */
export async function listRuns(
  on: Queryable,
  { loop, status, role: of, agent, ...page }: RunFilter & PageRequest,
): Promise<Page<RunRow>> {
  return onePage(
    on,
    runRow,
    `select ${columns}, ordinal as place from runs
     where ($3::text is null or loop_id = $3) and ($4::text is null or status = $4)
       and ($5::text is null or role = $5) and ($6::text is null or agent = $6) and ($1::bigint is null or ordinal < $1)
     order by ordinal desc limit $2`,
    page,
    [loop ?? null, status ?? null, of ?? null, agent ?? null],
  );
}

/** Of a task, in their order. */
export async function listTaskRuns(
  on: Queryable,
  { task, ...page }: { task: string } & PageRequest,
): Promise<Page<RunRow>> {
  return onePage(
    on,
    runRow,
    `select ${columns}, number as place from runs
     where task_id = $3 and number > coalesce($1::int, 0) order by number limit $2`,
    page,
    [task],
  );
}

/** The latest of a task, or of a loop's plan where `task` is null. */
export async function latestRun(
  on: Queryable,
  { loop, task }: { loop: string; task: string | null },
): Promise<RunRow | undefined> {
  // Two statements, so that each has its index.
  const [which, value] = task === null ? ["loop_id = $1 and task_id is null", loop] : ["task_id = $1", task];
  return firstRow(on, runRow, `select ${columns} from runs where ${which} order by number desc limit 1`, [
    value,
  ]);
}

/** The one that goes on in a stage, or of which nobody has said yet how it ended; undefined: none was begun. */
export async function runOfStage(on: Queryable, stage: number): Promise<RunRow | undefined> {
  return firstRow(on, runRow, `select ${columns} from runs where stage_id = $1 and status = 'running'`, [
    stage,
  ]);
}

/** Running as far as the table knows, although nobody has their stage any more: they are to be ended. */
export async function strayRuns(on: Queryable): Promise<RunRow[]> {
  return allRows(
    on,
    runRow,
    `select ${columns} from runs where status = 'running'
       and not exists (select 1 from stages s where s.id = runs.stage_id and s.state = 'claimed')
     order by ordinal`,
  );
}

/** The run that made this candidate of a task; undefined where there is none. */
export async function runOfCandidate(
  on: Queryable,
  task: string,
  candidateOid: string,
): Promise<RunRow | undefined> {
  return firstRow(
    on,
    runRow,
    `select ${columns} from runs where task_id = $1 and candidate_oid = $2 and role <> 'judge'
     order by number desc limit 1`,
    [task, candidateOid],
  );
}
