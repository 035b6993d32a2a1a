import { type LoginAgent, type LoginStatus, loginAgents, type Role } from "@opentiger/schema";
import { type AgentRow, agentKindOf } from "./agents.ts";
import type { RoleAgent } from "./config/agent-roles.ts";

/** An agent that logs in, as people are shown it. */
export interface AgentFacts {
  agent: LoginAgent;
  /** That it has, as it is configured. */
  roles: Role[];
  /** When a run of it last began. */
  usedAt: string | null;
  /** Its version and its login, in each environment that was asked. */
  places: (LoginStatus & { lastKnown: LastKnown | null })[];
}

/** What the last check that could tell found. */
type LastKnown = Pick<AgentRow, "version" | "authenticated"> & { checkedAt: string };

interface FactSources {
  /** What was found now. */
  logins: readonly LoginStatus[];
  roles: readonly RoleAgent[];
  known: readonly AgentRow[];
}

/** All of them, from what was found now and what is known of before. */
export function agentFacts({ logins, roles, known }: FactSources): AgentFacts[] {
  return loginAgents.map((agent) => {
    const own = known.filter((each) => each.agent === agentKindOf[agent]);
    return {
      agent,
      roles: roles.filter((each) => each.agent === agentKindOf[agent]).map(({ role }) => role),
      usedAt: own[0]?.usedAt?.toISOString() ?? null,
      places: logins
        .filter((login) => login.agent === agent)
        .map((login) => ({
          ...login,
          lastKnown: lastKnown(own.find(({ environment }) => environment === login.executionEnvironment)),
        })),
    };
  });
}

function lastKnown(row: AgentRow | undefined): LastKnown | null {
  if (!row) return null;
  const { version, authenticated, checkedAt } = row;
  return { version, authenticated, checkedAt: checkedAt.toISOString() };
}
