import type { Migration } from "./migration.ts";

/** Who may ask the server, what was asked of it, and the order in which events of all loops become visible. */
export const server: Migration = {
  version: 5,
  name: "server",
  sql: `
    create table api_keys (
      id text primary key check (id ~ '^[a-z0-9]{12}$'),
      kind text not null constraint api_keys_kind check (kind in ('key', 'link', 'session')),
      name text not null,
      hash bytea not null,
      created_at timestamptz not null default now(),
      created_by text not null,
      expires_at timestamptz,
      used_at timestamptz,
      revoked_at timestamptz
    );
    create unique index api_keys_by_name on api_keys (name) where kind = 'key' and revoked_at is null;
    create index api_keys_by_end on api_keys (expires_at) where expires_at is not null;
    comment on table api_keys is 'Keys of programs, links to log in with once, and sessions of browsers.';
    comment on column api_keys.hash is 'SHA-256 of 256 random bits; the bits themselves are kept nowhere.';

    create table audit (
      id bigint primary key generated always as identity,
      at timestamptz not null default now(),
      who text not null,
      address text not null,
      action text not null,
      target text not null,
      status int
    );
    create index audit_by_time on audit (at);
    comment on column audit.status is 'What was answered; null: the server ended before it could answer.';

    create table idempotency_keys (
      key text not null,
      who text not null,
      action text not null,
      request bytea not null,
      server text not null,
      status int,
      answer jsonb,
      at timestamptz not null default now(),
      primary key (key, who, action)
    );
    create index idempotency_keys_by_time on idempotency_keys (at);

    alter table events add column xact xid8 not null default pg_current_xact_id();
    create index events_in_order on events (xact, id);
    comment on column events.xact is
      'Who wrote it. Ids of different loops are not in the order of commits; see packages/server/src/live/feed.ts.';
  `,
};
