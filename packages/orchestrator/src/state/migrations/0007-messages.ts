import type { Migration } from "./migration.ts";

/** What people said to the agents of a task, or about their work. */
export const messages: Migration = {
  version: 7,
  name: "messages",
  sql: `
    create table task_messages (
      id bigint primary key generated always as identity,
      loop_id text not null,
      task_id uuid not null,
      file text,
      line int check (line > 0),
      text text not null,
      at timestamptz not null default now(),
      run_id uuid references runs on delete restrict,
      turn int check (turn >= 0),
      given_at timestamptz,
      foreign key (loop_id, task_id) references tasks (loop_id, id) on delete restrict,
      constraint task_messages_turn check ((run_id is null) = (turn is null)),
      constraint task_messages_place check (line is null or file is not null)
    );
    create index task_messages_by_task on task_messages (task_id, id);
    create index task_messages_by_run on task_messages (run_id);
    create index task_messages_waiting on task_messages (task_id) where given_at is null;
    comment on column task_messages.turn is
      'In which turn of the run the agent gets it. It is set before that turn begins, so that no message is in two of them.';
    comment on column task_messages.given_at is
      'When an agent had it. What came with the points for a next run has a time and no run.';
  `,
};
