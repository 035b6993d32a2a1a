import type { Migration } from "./migration.ts";

/** What planning and budgets ask for. */
export const planning: Migration = {
  version: 4,
  name: "planning",
  sql: `
    alter table tasks add column key text;
    create unique index tasks_by_key on tasks (loop_id, key) where key is not null;
    comment on column tasks.key is 'Its name in the plan, by which an edited plan knows it again.';

    alter table runs add column token_total bigint generated always as (
      coalesce((tokens->>'input')::bigint, 0) + coalesce((tokens->>'output')::bigint, 0)
      + coalesce((tokens->>'cacheRead')::bigint, 0) + coalesce((tokens->>'cacheWrite')::bigint, 0)) stored;
    comment on column runs.token_total is 'All kinds of tokens together, as budgets count them.';
  `,
};
