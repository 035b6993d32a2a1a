import type { Migration } from "./migration.ts";

/** Tasks and runs of one role, or of one agent, in one list over all loops. */
export const roles: Migration = {
  version: 14,
  name: "roles",
  sql: `
    create index tasks_of_all_by_role on tasks (role, ordinal);
    create index runs_of_all_by_role on runs (role, ordinal);
    create index runs_of_all_by_agent on runs (agent, ordinal);
  `,
};
