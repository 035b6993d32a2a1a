import type { Migration } from "./migration.ts";

/** A database belongs to one state folder: what its rows speak of lies there, and nowhere else. */
export const instance: Migration = {
  version: 13,
  name: "instance",
  sql: `
    create table instance (
      single boolean primary key default true check (single),
      id text not null,
      folder text not null,
      since timestamptz not null default now()
    );
    comment on table instance is 'Whose this database is: one row, written by whoever opened it first.';
  `,
};
