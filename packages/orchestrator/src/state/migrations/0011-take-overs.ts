import type { Migration } from "./migration.ts";

/** A stage that ends whoever works on it must not be taken over forever. */
export const takeOvers: Migration = {
  version: 11,
  name: "take_overs",
  sql: `
    alter table stages add column taken_over integer not null default 0;
    comment on column stages.taken_over is 'How often it changed hands since it was claimed, because its owner was gone.';
  `,
};
