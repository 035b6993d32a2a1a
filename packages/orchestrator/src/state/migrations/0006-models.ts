import type { Migration } from "./migration.ts";

/** With which model a run works, as its agent says; usage is told by it. */
export const models: Migration = {
  version: 6,
  name: "models",
  sql: `
    alter table runs add column model text;
    comment on column runs.model is 'As its agent called it when it began; null: it said nothing of it.';
  `,
};
