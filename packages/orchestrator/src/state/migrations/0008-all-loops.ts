import type { Migration } from "./migration.ts";

/** Tasks and runs of all loops in one list, and a search in the audit. */
export const allLoops: Migration = {
  version: 8,
  name: "all_loops",
  sql: `
    alter table tasks add column ordinal bigint not null generated always as identity unique;
    create index tasks_of_all_by_status on tasks (status, ordinal);
    create index runs_of_all_by_status on runs (status, ordinal);
    create index audit_by_who on audit (who, id);
    create index audit_by_action on audit (action, id);
    comment on column tasks.ordinal is 'In which they were added, over all loops.';
  `,
};
