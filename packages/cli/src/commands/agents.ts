import { checkLogin } from "@opentiger/agents";
import {
  type ExecutionEnvironment,
  executionEnvironments,
  type LoginAgent,
  type LoginStatus,
  loginAgents,
} from "@opentiger/schema";
import { type Command, Option } from "commander";
import { agentKindOf, agentRoles, type RoleAgent } from "../instance/agent-roles.ts";
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
    .description("which agents there are: their versions, where they are logged in, and what they do")
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
      const agents = loginAgents.map((agent) => factsOf(agent, logins, roles));
      if (options.json) return printJson(surroundings, { agents, roles });
      surroundings.stdout.write(`${agentTable(agents)}\n${roleTable(roles)}`);
    });
}

async function rolesOf(surroundings: Surroundings, options: AgentsOptions): Promise<RoleAgent[]> {
  return withPlace(surroundings, options, ({ config }) => agentRoles(async (name) => config.get(name)));
}

interface AgentFacts {
  agent: LoginAgent;
  roles: string[];
  places: LoginStatus[];
}

function factsOf(agent: LoginAgent, logins: readonly LoginStatus[], roles: readonly RoleAgent[]): AgentFacts {
  return {
    agent,
    roles: roles.filter((each) => each.agent === agentKindOf[agent]).map(({ role }) => role),
    places: logins.filter((login) => login.agent === agent),
  };
}

function agentTable(agents: readonly AgentFacts[]): string {
  const rows = agents.flatMap(({ agent, roles, places }) =>
    places.map(({ executionEnvironment, version, authenticated, method, problem }) => [
      agent,
      executionEnvironment,
      version ?? "-",
      authenticated ? `yes${method === null ? "" : ` (${method})`}` : (problem?.code ?? "unknown"),
      roles.join(", ") || "-",
    ]),
  );
  return renderTable([["AGENT", "WHERE", "VERSION", "LOGGED IN", "ROLES"], ...rows]);
}

function roleTable(roles: readonly RoleAgent[]): string {
  const rows = roles.map(({ role, agent, model }) => [role, agent, model ?? "its own choice"]);
  return renderTable([["ROLE", "AGENT", "MODEL"], ...rows]);
}
