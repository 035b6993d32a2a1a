import type { Migration } from "./migration.ts";

/** A browser's session that began on this machine is good on this machine. Those that there are stay as they are. */
export const sessions: Migration = {
  version: 10,
  name: "sessions",
  sql: `
    alter table api_keys add column here_only boolean not null default false;
    comment on column api_keys.here_only is 'Whether it is good only for who asks over this machine''s loopback.';
  `,
};
