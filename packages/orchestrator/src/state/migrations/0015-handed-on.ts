import type { Migration } from "./migration.ts";

/** A task that was handed on keeps its own agent beside the other one, for a person who retries it. */
export const handedOn: Migration = {
  version: 15,
  name: "handed_on",
  sql: `
    alter table tasks add column handed_to text;
    comment on column tasks.handed_to is
      'The agent that tries it since the same failure came too often; null: its own, as agent or the settings say.';
  `,
};
