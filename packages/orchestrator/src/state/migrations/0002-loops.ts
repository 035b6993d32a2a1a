import type { Migration } from "./migration.ts";

/**
 * Loops, tasks, stages, runs and what belongs to them. The words of the check constraints are those of
 * packages/schema; a test compares them. Lists are paged by `ordinal`, `number` or `id`, which never change and never
 * tie; times would.
 */
export const loops: Migration = {
  version: 2,
  name: "loops",
  sql: `
    create table repositories (
      id uuid primary key default gen_random_uuid(),
      path text not null unique,
      name text not null,
      created_at timestamptz not null default now()
    );

    create table agents (
      name text primary key,
      driver text not null
        constraint agents_driver check (driver in ('claude_code', 'codex', 'opencode', 'command')),
      model text,
      limits jsonb not null default '{}'
    );
    comment on table agents is 'Agents that the user configured beside those of system_config.';

    create table loops (
      id text primary key check (id ~ '^[a-z0-9]{8}$'),
      ordinal bigint not null generated always as identity unique,
      repository_id uuid not null references repositories on delete restrict,
      requirement text not null,
      source jsonb not null,
      settings jsonb not null,
      status text not null constraint loops_status check
        (status in ('planning', 'awaiting_approval', 'running', 'paused', 'done', 'failed', 'cancelled')),
      reason text constraint loops_reason check (reason in ('asked', 'budget', 'branch_moved')),
      detail text,
      fence bigint not null default 0,
      base_oid text,
      branch text,
      branch_oid text,
      projected_oid text,
      plan jsonb,
      summary jsonb,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      ended_at timestamptz,
      constraint loops_state check ((status = 'paused') = (reason is not null))
    );
    create index loops_by_repository on loops (repository_id, ordinal);
    create index loops_by_status on loops (status, ordinal);
    comment on column loops.branch_oid is 'The loop''s branch itself; what repositories show is made from it.';
    comment on column loops.projected_oid is 'What the branch in the user''s repository was last set to.';

    create table tasks (
      id uuid primary key default gen_random_uuid(),
      loop_id text not null references loops on delete restrict,
      number int not null check (number > 0),
      title text not null,
      role text not null constraint tasks_role check (role in ('worker', 'tester', 'docser')),
      instructions text not null,
      allowed_paths text[] not null,
      verify jsonb not null default '[]',
      risk text not null constraint tasks_risk check (risk in ('low', 'medium', 'high')),
      estimate text,
      status text not null constraint tasks_status check
        (status in ('queued', 'running', 'blocked', 'done', 'failed', 'cancelled')),
      reason text constraint tasks_reason check
        (reason in ('awaiting_judge', 'quota_wait', 'needs_rework', 'awaiting_approval', 'dependency_failed', 'paused')),
      detail text,
      fence bigint not null default 0,
      not_before timestamptz,
      base_oid text,
      candidate_oid text,
      merged_oid text,
      rework jsonb,
      tries jsonb not null default '{}',
      agent text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (loop_id, number),
      unique (loop_id, id),
      constraint tasks_state check ((status = 'blocked') = (reason is not null))
    );
    create index tasks_active on tasks (loop_id) where status = 'running' or reason = 'awaiting_judge';
    create index tasks_by_status on tasks (loop_id, status, number);
    comment on column tasks.allowed_paths is 'Empty: any path, and so the task runs alone in its loop.';
    comment on column tasks.tries is 'How often it was tried again, by the type of failure.';

    create table task_dependencies (
      loop_id text not null,
      task_id uuid not null,
      needs_id uuid not null,
      primary key (task_id, needs_id),
      foreign key (loop_id, task_id) references tasks (loop_id, id) on delete restrict,
      foreign key (loop_id, needs_id) references tasks (loop_id, id) on delete restrict,
      check (task_id <> needs_id)
    );
    create index task_dependencies_by_need on task_dependencies (needs_id);
    comment on column task_dependencies.loop_id is 'Nothing of one loop needs anything of another.';

    create table stages (
      id bigint primary key generated always as identity,
      loop_id text not null references loops on delete restrict,
      task_id uuid,
      kind text not null constraint stages_kind check (kind in ('plan', 'run', 'judge', 'merge')),
      role text not null constraint stages_role check
        (role in ('planner', 'worker', 'tester', 'docser', 'judge', 'merger')),
      state text not null constraint stages_state check (state in ('waiting', 'ready', 'claimed', 'ended')),
      not_before timestamptz not null default now(),
      fence bigint not null default 0,
      owner text,
      heartbeat_at timestamptz,
      lease_until timestamptz,
      outcome jsonb,
      created_at timestamptz not null default now(),
      ended_at timestamptz,
      foreign key (loop_id, task_id) references tasks (loop_id, id) on delete restrict,
      constraint stages_of_task check ((kind = 'plan') = (task_id is null)),
      constraint stages_lease check ((state = 'claimed') <= (owner is not null and lease_until is not null))
    );
    create unique index stages_open_of_task on stages (task_id) where state <> 'ended' and task_id is not null;
    create unique index stages_open_of_loop on stages (loop_id) where state <> 'ended' and task_id is null;
    create index stages_claimable on stages (role, not_before, id) where state = 'ready';
    create index stages_claimed on stages (lease_until, id) where state = 'claimed';
    create index stages_unclaimed on stages (loop_id) where state in ('waiting', 'ready');
    create index stages_by_loop on stages (loop_id, id);
    create index stages_by_task on stages (task_id, id);

    create table runs (
      id uuid primary key default gen_random_uuid(),
      ordinal bigint not null generated always as identity unique,
      loop_id text not null references loops on delete restrict,
      task_id uuid,
      stage_id bigint not null references stages on delete restrict,
      number int not null check (number > 0),
      agent text not null,
      role text not null constraint runs_role check (role in ('planner', 'worker', 'tester', 'docser', 'judge')),
      status text not null constraint runs_status check
        (status in ('running', 'succeeded', 'failed', 'lost', 'cancelled')),
      failure jsonb,
      session text,
      sandbox text,
      exec_id text,
      transcript text,
      last_seq bigint not null default 0,
      tokens jsonb,
      usd numeric(14, 6),
      base_oid text,
      candidate_oid text,
      started_at timestamptz not null default now(),
      ended_at timestamptz,
      foreign key (loop_id, task_id) references tasks (loop_id, id) on delete restrict
    );
    create unique index runs_of_task on runs (task_id, number) where task_id is not null;
    create unique index runs_of_plan on runs (loop_id, number) where task_id is null;
    create index runs_by_loop on runs (loop_id, ordinal);
    create index runs_by_stage on runs (stage_id);
    create index runs_running on runs (ordinal) where status = 'running';
    create index runs_by_day on runs (started_at);

    create table events (
      id bigint primary key generated always as identity,
      loop_id text not null references loops on delete restrict,
      task_id uuid,
      run_id uuid references runs on delete restrict,
      type text not null check (type ~ '^[a-z]+[.][a-z_]+$'),
      data jsonb not null,
      at timestamptz not null default now(),
      foreign key (loop_id, task_id) references tasks (loop_id, id) on delete restrict
    );
    create index events_by_loop on events (loop_id, id);
    create index events_by_task on events (task_id, id);
    create index events_by_run on events (run_id, id);
    comment on table events is 'Only ever added to. Within a loop a larger id was committed later.';

    create table judgements (
      id bigint primary key generated always as identity,
      task_id uuid not null references tasks on delete restrict,
      run_id uuid references runs on delete restrict,
      candidate_oid text not null,
      base_oid text not null,
      judgement text not null constraint judgements_judgement check (judgement in ('pass', 'fail', 'inconclusive')),
      evidence jsonb not null,
      points jsonb not null,
      at timestamptz not null default now()
    );
    create index judgements_by_task on judgements (task_id, id);
    create index judgements_by_run on judgements (run_id);

    create table artifacts (
      id bigint primary key generated always as identity,
      run_id uuid not null references runs on delete restrict,
      kind text not null,
      path text not null,
      bytes bigint not null check (bytes >= 0),
      created_at timestamptz not null default now(),
      expires_at timestamptz not null
    );
    create index artifacts_by_run on artifacts (run_id, id);
    create index artifacts_by_end on artifacts (expires_at, id);
  `,
};
