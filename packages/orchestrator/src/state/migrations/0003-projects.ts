import type { Migration } from "./migration.ts";

/** What is known of projects: how their checks stand at a commit, and the images on which their set-up was done. */
export const projects: Migration = {
  version: 3,
  name: "projects",
  sql: `
    alter table tasks add column may_change text[] not null default '{}';
    comment on column tasks.may_change is 'Tests and protected files that the plan lets it change.';
    comment on column tasks.merged_oid is
      'The commit on the branch; null for tests that are done and wait for the code that they test.';

    create table baselines (
      commit_oid text not null,
      key text not null,
      round jsonb not null,
      at timestamptz not null default now(),
      primary key (commit_oid, key)
    );
    comment on table baselines is 'Checks at a commit; key: what they depend on besides, hashed.';

    create table prepared_images (
      key text primary key,
      reference text not null,
      bytes bigint not null,
      created_at timestamptz not null default now(),
      used_at timestamptz not null default now()
    );
    create index prepared_images_by_use on prepared_images (used_at);
  `,
};
