import { type AgentDriver, commandDriver, drivers } from "@opentiger/agents";
import { type AgentKind, type AgentName, type Role, roleKeys } from "@opentiger/schema";
import { OrchestratorError } from "../errors.ts";
import type { Place } from "../place.ts";
import type { LoopRow } from "../state/loops.ts";
import type { TaskRow } from "../state/tasks.ts";

/** Which agent works, and with which model. */
export interface AgentChoice {
  driver: AgentDriver;
  name: AgentKind;
  /** undefined: the agent's own choice. */
  model: string | undefined;
}

/**
 * The agent of a role as things stand now: the one the task was handed on to, else the loop's, else the one that is
 * configured. A model belongs to the agent it was chosen for, and is not handed to another.
 */
export function agentFor(
  { config }: Pick<Place, "config">,
  { settings }: Pick<LoopRow, "settings">,
  role: Role,
  task?: Pick<TaskRow, "agent">,
): AgentChoice {
  const [agentKey, modelKey] = roleKeys[role];
  const said = settings.agents[role];
  const usual = said?.agent ?? config.get(agentKey);
  const name = task?.agent ? agentKind(task.agent) : usual;
  const configured = usual === config.get(agentKey) ? config.get(modelKey) : null;
  const model = name === usual ? (said?.model ?? configured ?? undefined) : undefined;
  return { name, model, driver: driverOf(name, config.get("OPENTIGER_AGENT_COMMAND")) };
}

/** A choice that was made before, and holds although the configuration may say something else by now. */
export function agentCalled(
  { config }: Pick<Place, "config">,
  { agent, model }: { agent: string; model: string | null },
): AgentChoice {
  const name = agentKind(agent);
  const driver = driverOf(name, config.get("OPENTIGER_AGENT_COMMAND"));
  return { name, model: model ?? undefined, driver };
}

/**
 * The template of an agent that a run was started with. It decides which sandbox and which credentials are that run's, so
 * it follows from the agent's name alone and not from settings, which may have changed since.
 */
export function templateOf(agent: string): AgentName {
  return Object.hasOwn(drivers, agent) ? drivers[agent as keyof typeof drivers].template : "shell";
}

function agentKind(name: string): AgentKind {
  if (name === "command" || Object.hasOwn(drivers, name)) return name as AgentKind; // It is one of the names.
  throw new OrchestratorError("usage", `there is no agent ${name}`, {
    remedy: `use one of ${[...Object.keys(drivers), "command"].join(", ")}`,
  });
}

function driverOf(name: AgentKind, command: readonly string[] | null): AgentDriver {
  if (name !== "command") return drivers[name];
  if (command && command.length > 0) return commandDriver({ command });
  throw new OrchestratorError("usage", "the agent called command has nothing to start", {
    remedy: "set OPENTIGER_AGENT_COMMAND to its words",
  });
}
