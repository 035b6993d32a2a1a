import type { Migration } from "./migration.ts";

export const systemConfig: Migration = {
  version: 1,
  name: "system_config",
  sql: `
    create table system_config (
      key text primary key,
      value jsonb not null,
      updated_at timestamptz not null default now(),
      updated_by text not null
    );
    comment on table system_config is
      'What the user changed. Keys, forms and defaults are in packages/schema; secrets are in the vault.';
  `,
};
