import type { Migration } from "./migration.ts";

/** What is known of the agents themselves. Nobody ever wrote into the table that was there before. */
export const agents: Migration = {
  version: 9,
  name: "agents",
  sql: `
    drop table agents;
    create table agents (
      agent text not null
        constraint agents_agent check (agent in ('claude_code', 'codex', 'opencode', 'command')),
      environment text not null constraint agents_environment check (environment in ('host', 'sandbox')),
      version text,
      authenticated boolean not null,
      method text,
      checked_at timestamptz not null,
      primary key (agent, environment)
    );
    comment on table agents is 'What the last check that could tell found of an agent, where it runs.';
    create index runs_by_agent on runs (agent, started_at);
  `,
};
