import type { SystemConfig } from "@opentiger/orchestrator";
import {
  type AgentKind,
  type ConfigKeyName,
  type ExecutionEnvironment,
  type LoopSettings,
  loopSettings,
  roleKeys,
  roles,
} from "@opentiger/schema";
import { UsageError } from "../errors.ts";

/** What is asked of the settings that are stored. */
type Settings = Pick<SystemConfig, "get" | "entry">;

export interface SettingsOptions {
  host?: true;
  sandbox?: true;
  agent?: AgentKind;
  model?: string;
  approve?: true;
  dryRun?: true;
  budgetUsd?: number;
  budgetTokens?: number;
  projectNetwork?: LoopSettings["projectNetwork"];
}

/** What was asked for here: by flags, and by variables of this shell, which a dispatcher that runs already does not see. */
export function settingsOf(options: SettingsOptions, config: Settings): LoopSettings {
  const { approve, dryRun, projectNetwork } = options;
  const environment = environmentOf(options) ?? ownValue(config, "EXECUTION_ENVIRONMENT");
  const waits = approve ? "yes" : ownValue(config, "OPENTIGER_APPROVE_PLANS");
  const network = ownValue(config, "OPENTIGER_NETWORK_POLICY");
  return loopSettings.parse({
    ...(environment === undefined ? {} : { environment }),
    agents: agentsOf(options, config),
    ...(waits === undefined ? {} : { approve: waits === "yes" }),
    dryRun: dryRun === true,
    ...(network === undefined ? {} : { network }),
    ...(projectNetwork === undefined ? {} : { projectNetwork }),
    ...budgetOf(options, config),
  });
}

/** One bound that is given does not take the other away that loops have otherwise. */
function budgetOf({ budgetUsd, budgetTokens }: SettingsOptions, config: Settings) {
  if (budgetUsd === undefined && budgetTokens === undefined) return {};
  const usd = budgetUsd ?? config.get("OPENTIGER_LOOP_USD");
  const tokens = budgetTokens ?? config.get("OPENTIGER_LOOP_TOKENS");
  return { budget: { usd, tokens } };
}

export function environmentOf({ host, sandbox }: SettingsOptions): ExecutionEnvironment | undefined {
  if (host && sandbox) throw new UsageError("--host and --sandbox exclude each other", "Give one of them.");
  if (host) return "host";
  return sandbox ? "sandbox" : undefined;
}

function agentsOf({ agent, model }: SettingsOptions, config: Settings): LoopSettings["agents"] {
  const chosen: LoopSettings["agents"] = {};
  for (const role of roles) {
    const [agentKey, modelKey] = roleKeys[role];
    const own = {
      agent: agent ?? ownValue(config, agentKey),
      // A model of another agent is of no use to the one that was named.
      model: model ?? (agent === undefined ? (ownValue(config, modelKey) ?? undefined) : undefined),
    };
    if (own.agent === undefined && own.model === undefined) continue;
    chosen[role] = {
      ...(own.agent === undefined ? {} : { agent: own.agent }),
      ...(own.model === undefined ? {} : { model: own.model }),
    };
  }
  return chosen;
}

/** undefined: this shell says nothing of it. */
function ownValue<Name extends ConfigKeyName>(config: Settings, name: Name) {
  const value = config.get(name);
  return config.entry(name).source === "environment" ? value : undefined;
}
