import {
  type AgentKind,
  agentKind,
  executionEnvironments,
  type LoginAgent,
  type LoginStatus,
} from "@opentiger/schema";
import { z } from "zod";
import { allRows, type Queryable } from "./rows.ts";

/** The agents that log in, as the settings call them. */
export const agentKindOf = {
  claude: "claude_code",
  codex: "codex",
  opencode: "opencode",
} as const satisfies Record<LoginAgent, AgentKind>;

export const agentRow = z.object({
  agent: agentKind,
  environment: z.enum(executionEnvironments),
  /** Of its CLI. */
  version: z.string().nullable(),
  /** Whether its API took its credential then. */
  authenticated: z.boolean(),
  method: z.string().nullable(),
  checkedAt: z.date(),
  /** When a run of it last began, wherever that was. */
  usedAt: z.date().nullable(),
});
export type AgentRow = z.infer<typeof agentRow>;

/**
 * Keeps what a check of an agent's login found. One that could not tell says nothing, and takes nothing away from what
 * was known; neither does one that is older.
 */
export async function noteLogin(on: Queryable, status: LoginStatus): Promise<void> {
  const { agent, executionEnvironment, version, authenticated, method, checkedAt } = status;
  if (authenticated === null) return;
  await on.query(
    `insert into agents as known (agent, environment, version, authenticated, method, checked_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (agent, environment) do update set version = excluded.version,
       authenticated = excluded.authenticated, method = excluded.method, checked_at = excluded.checked_at
     where known.checked_at <= excluded.checked_at`,
    [agentKindOf[agent], executionEnvironment, version, authenticated, method, checkedAt],
  );
}

/** All of which something is known. */
export async function knownAgents(on: Queryable): Promise<AgentRow[]> {
  return allRows(
    on,
    agentRow,
    `select agent, environment, version, authenticated, method, checked_at as "checkedAt",
       (select max(started_at) from runs where runs.agent = known.agent) as "usedAt"
     from agents known order by agent, environment`,
  );
}
