import type { SystemConfig } from "@opentiger/orchestrator";
import {
  type AgentKind,
  type ConfigKeyName,
  type ExecutionEnvironment,
  type LoopSettings,
  loopSettings,
  type Role,
  roles,
} from "@opentiger/schema";
import { UsageError } from "../errors.ts";

export interface SettingsOptions {
  host?: true;
  sandbox?: true;
  agent?: AgentKind;
  model?: string;
  approve?: true;
  dryRun?: true;
  budgetUsd?: number;
  budgetTokens?: number;
}

/** What was asked for here: by flags, and by variables of this shell, which a dispatcher that runs already does not see. */
export function settingsOf(options: SettingsOptions, config: SystemConfig): LoopSettings {
  const { approve, dryRun, budgetUsd: usd = null, budgetTokens: tokens = null } = options;
  const environment = environmentOf(options) ?? ownValue(config, "EXECUTION_ENVIRONMENT");
  return loopSettings.parse({
    ...(environment === undefined ? {} : { environment }),
    agents: agentsOf(options, config),
    ...(approve || ownValue(config, "OPENTIGER_APPROVE_PLANS") === "yes" ? { approve: true } : {}),
    dryRun: dryRun === true,
    ...(usd === null && tokens === null ? {} : { budget: { usd, tokens } }),
  });
}

export function environmentOf({ host, sandbox }: SettingsOptions): ExecutionEnvironment | undefined {
  if (host && sandbox) throw new UsageError("--host and --sandbox exclude each other", "Give one of them.");
  if (host) return "host";
  return sandbox ? "sandbox" : undefined;
}

const keys = {
  planner: ["OPENTIGER_PLANNER_AGENT", "OPENTIGER_PLANNER_MODEL"],
  worker: ["OPENTIGER_WORKER_AGENT", "OPENTIGER_WORKER_MODEL"],
  tester: ["OPENTIGER_TESTER_AGENT", "OPENTIGER_TESTER_MODEL"],
  docser: ["OPENTIGER_DOCSER_AGENT", "OPENTIGER_DOCSER_MODEL"],
  judge: ["OPENTIGER_JUDGE_AGENT", "OPENTIGER_JUDGE_MODEL"],
} as const satisfies Record<Role, readonly [ConfigKeyName, ConfigKeyName]>;

function agentsOf({ agent, model }: SettingsOptions, config: SystemConfig): LoopSettings["agents"] {
  const chosen: LoopSettings["agents"] = {};
  for (const role of roles) {
    const [agentKey, modelKey] = keys[role];
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
function ownValue<Name extends ConfigKeyName>(config: SystemConfig, name: Name) {
  const value = config.get(name);
  return config.entry(name).source === "environment" ? value : undefined;
}
