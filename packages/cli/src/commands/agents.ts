import { checkLogin } from "@opentiger/agents";
import {
  type AgentFacts,
  type AgentRow,
  agentFacts,
  agentRoles,
  knownAgents,
  noteLogin,
  type RoleAgent,
} from "@opentiger/orchestrator";
import {
  type ExecutionEnvironment,
  executionEnvironments,
  type LoginStatus,
  loginAgents,
} from "@opentiger/schema";
import { type Command, Option } from "commander";
import { withPlace } from "../loop/place.ts";
import { progressOn } from "../output/progress.ts";
import { renderTable } from "../output/table.ts";
import { cancellable } from "../program/cancellation.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { inContext, printJson, type VerbOptions, verb } from "../program/verb.ts";

interface AgentsOptions extends VerbOptions {
  environment?: ExecutionEnvironment;
}

export function agentsCommand(surroundings: Surroundings): Command {
  return verb("agents", surroundings)
    .description(
      "which agents there are: versions, where they are logged in, what they do, when they last did",
    )
    .addOption(new Option("--environment <where>", "only there").choices(executionEnvironments))
    .addHelpText("after", "\nExamples:\n  opentiger agents\n  opentiger agents --environment host --json")
    .action(async (options: AgentsOptions) => {
      const env = inContext(surroundings, options);
      const roles = await rolesOf(surroundings, options);
      const progress = progressOn(surroundings, options);
      progress.line("asking the agents");
      const places = options.environment ? [options.environment] : executionEnvironments;
      const logins = await cancellable(env, (signal) =>
        Promise.all(
          loginAgents.flatMap((agent) => places.map((where) => checkLogin(agent, where, { env, signal }))),
        ),
      ).finally(() => progress.end());
      const known = await remembered(surroundings, options, logins);
      const agents = agentFacts({ logins, roles, known });
      if (options.json) return printJson(surroundings, { agents, roles });
      surroundings.stdout.write(`${agentTable(agents)}\n${roleTable(roles)}`);
    });
}

async function rolesOf(surroundings: Surroundings, options: AgentsOptions): Promise<RoleAgent[]> {
  return withPlace(surroundings, options, ({ config }) => agentRoles(async (name) => config.get(name)));
}

/** Keeps what was found now, and gives what is known with it. */
async function remembered(
  surroundings: Surroundings,
  options: AgentsOptions,
  logins: readonly LoginStatus[],
): Promise<AgentRow[]> {
  return withPlace(surroundings, options, async ({ database }) => {
    for (const login of logins) await noteLogin(database, login);
    return knownAgents(database);
  });
}

function agentTable(agents: readonly AgentFacts[]): string {
  const rows = agents.flatMap(({ agent, roles, usedAt, places }) =>
    places.map((place) => [
      agent,
      place.executionEnvironment,
      place.version ?? place.lastKnown?.version ?? "-",
      loggedIn(place),
      usedAt === null ? "-" : dayOf(usedAt),
      roles.join(", ") || "-",
    ]),
  );
  return renderTable([["AGENT", "WHERE", "VERSION", "LOGGED IN", "LAST USED", "ROLES"], ...rows]);
}

/** Where nobody can tell now, what was known last and when. */
function loggedIn({
  authenticated,
  method,
  problem,
  lastKnown: before,
}: AgentFacts["places"][number]): string {
  if (authenticated) return `yes${method === null ? "" : ` (${method})`}`;
  const now = problem?.code ?? "unknown";
  if (authenticated === false || before === null) return now;
  return `${now} (${before.authenticated ? "yes" : "no"} on ${dayOf(before.checkedAt)})`;
}

function dayOf(time: string): string {
  return time.slice(0, "2000-01-01".length);
}

function roleTable(roles: readonly RoleAgent[]): string {
  const rows = roles.map(({ role, agent, model }) => [role, agent, model ?? "its own choice"]);
  return renderTable([["ROLE", "AGENT", "MODEL"], ...rows]);
}
