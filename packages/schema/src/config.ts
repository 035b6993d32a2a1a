import { z } from "zod";
import { agentKinds } from "./agent.ts";
import {
  type ConfigKey,
  choice,
  dollars,
  duration,
  limit,
  size,
  text,
  whole,
  words,
} from "./config-kinds.ts";
import { networkPolicies } from "./network.ts";

export type { ConfigJson, ConfigKey, ConfigReading } from "./config-kinds.ts";

export const executionEnvironments = ["host", "sandbox"] as const;
export type ExecutionEnvironment = (typeof executionEnvironments)[number];

/** Contract A2. */
export const launchModes = { host: "process", sandbox: "docker" } as const satisfies Record<
  ExecutionEnvironment,
  string
>;
export type LaunchMode = (typeof launchModes)[ExecutionEnvironment];

const image = {
  expects: "the name of a Docker image, such as opentiger/worker:latest",
  pattern: /^[a-z0-9]+(?:[._:/@-]+[a-z0-9]+)*$/i,
};
const network = {
  expects: "a network of `docker network ls`, and neither host nor another container's",
  pattern: /^(?!host$|none$|container:)[a-z0-9][a-z0-9_.-]*$/i,
};
/** A star may stand for the end of one, and for nothing that could be ours. */
const variables = {
  expects: "names of variables, such as SSH_AUTH_SOCK,NPM_CONFIG_*, and none of OPENTIGER_*",
  pattern: /^(?!opentiger_)[a-z_]\w{2,}\*?(?:[\s,]+(?!opentiger_)[a-z_]\w{2,}\*?)*$/i,
};
const name = { expects: "a name of letters, digits and - _ .", pattern: /^[a-z0-9][a-z0-9_.-]*$/i };
const model = {
  expects: "a model's name, as its CLI takes it",
  pattern: /^[a-z0-9@][a-z0-9@._:/[\]-]*$/i,
};
const author = { expects: "a name on one line, without < and >", pattern: /^[^<>\p{Cc}]+$/u };
const address = {
  expects: "an e-mail address",
  pattern: /^[^\s<>@\p{Cc}]+@[^\s<>@\p{Cc}]+$/u,
};

/**
 * Every key of `system_config`: the one place that knows its form, its default and what it is for. A key is also the
 * name of the environment variable that pins it. A change applies to what begins afterwards.
 */
export const configKeys = {
  EXECUTION_ENVIRONMENT: choice(
    executionEnvironments,
    "sandbox",
    "Where agents run: in a sandbox, or on the host with no isolation.",
  ),

  OPENTIGER_HOST_VARIABLES: text(
    variables,
    null,
    "Names of your variables that agents on the host get besides the usual ones.",
  ),

  SANDBOX_DOCKER_IMAGE: text(image, "opentiger/worker:latest", "The image that sandboxes are made from."),
  SANDBOX_DOCKER_NETWORK: text(network, "bridge", "The engine's network for sandboxes whose policy is open."),
  SANDBOX_DOCKER_RUNTIME: text(
    name,
    null,
    "The engine's runtime for sandboxes; the engine's own by default.",
  ),
  SANDBOX_CREDENTIALS: choice(
    ["broker", "mount", "inject", "none"],
    "broker",
    "How a sandbox gets what its agent logs in with; broker alone keeps the credential outside.",
  ),
  OPENTIGER_NETWORK_POLICY: choice(
    networkPolicies,
    "allow",
    "What a sandbox may reach; a project's file may say less, and more only by your word for the loop.",
  ),
  OPENTIGER_POOL_SIZE: whole([0, 64], 2, "How many sandboxes are kept ready before they are needed."),
  OPENTIGER_PREPARED_SIZE: size(["1g", "10t"], "20g", "How much disk prepared images may take together."),

  OPENTIGER_PLANNER_AGENT: choice(agentKinds, "claude_code", "The agent that plans."),
  OPENTIGER_WORKER_AGENT: choice(agentKinds, "claude_code", "The agent that implements."),
  OPENTIGER_TESTER_AGENT: choice(agentKinds, "claude_code", "The agent that writes tests first."),
  OPENTIGER_DOCSER_AGENT: choice(agentKinds, "claude_code", "The agent that writes documentation."),
  OPENTIGER_JUDGE_AGENT: choice(agentKinds, "claude_code", "The agent that judges, in a session of its own."),
  OPENTIGER_PLANNER_MODEL: text(model, null, "The planner's model; the agent's own choice by default."),
  OPENTIGER_WORKER_MODEL: text(model, null, "The worker's model; the agent's own choice by default."),
  OPENTIGER_TESTER_MODEL: text(model, null, "The tester's model; the agent's own choice by default."),
  OPENTIGER_DOCSER_MODEL: text(model, null, "The docser's model; the agent's own choice by default."),
  OPENTIGER_JUDGE_MODEL: text(model, null, "The judge's model; the agent's own choice by default."),
  OPENTIGER_FALLBACK_AGENT: choice(
    ["none", ...agentKinds],
    "none",
    "The agent that tries a task when its own has failed in the same way again.",
  ),
  OPENTIGER_AGENT_COMMAND: words("What the agent called command starts; the prompt comes on its stdin."),
  OPENTIGER_PROJECT_SETTINGS: choice(
    ["ignored", "allowed"],
    "ignored",
    "Whether hooks, MCP servers and settings of the repository take effect in agents; never in the judge's.",
  ),
  OPENTIGER_HOST_PERMISSIONS: choice(
    ["edits", "full"],
    "edits",
    "What the agent of a task may do on the host: change files and run the verify commands, or all that you may.",
  ),
  OPENTIGER_MAX_TURNS: limit(
    [1, 10_000],
    null,
    "How often the agent of a task may ask its model in one turn; a message that it is told begins another.",
  ),

  OPENTIGER_MAX_RUNNING: whole(
    [1, 256],
    4,
    "How many stages (plan, run, judge) are worked on at the same time.",
  ),
  OPENTIGER_MAX_PLANNERS: whole([1, 256], 1, "How many of these may be plans."),
  OPENTIGER_MAX_WORKERS: whole([1, 256], 4, "How many of these may be runs of a worker."),
  OPENTIGER_MAX_TESTERS: whole([1, 256], 2, "How many of these may be runs of a tester."),
  OPENTIGER_MAX_DOCSERS: whole([1, 256], 2, "How many of these may be runs of a docser."),
  OPENTIGER_MAX_JUDGES: whole([1, 256], 2, "How many of these may be judgements."),

  OPENTIGER_LOOP_TOKENS: limit([1_000, 1e12], 200_000_000, "Tokens that one loop may use, cached ones too."),
  OPENTIGER_LOOP_USD: dollars(null, "What one loop may cost; models without a known price are refused then."),
  OPENTIGER_DAY_TOKENS: limit([1_000, 1e12], null, "Tokens that all loops together may use in a day."),
  OPENTIGER_DAY_USD: dollars(null, "What all loops together may cost in a day."),

  OPENTIGER_MAX_TASKS: whole([1, 1_000], 50, "How many tasks a plan may have."),
  OPENTIGER_PLAN_TRIES: whole([1, 20], 3, "How often a planner is asked until its plan is valid."),
  OPENTIGER_TASK_RUNS: whole(
    [1, 100],
    8,
    "How many runs a task may have, for whatever reason they ended but a used up quota or budget.",
  ),
  OPENTIGER_REWORKS: whole([0, 20], 3, "How often a task goes back after the judge has failed it."),
  OPENTIGER_TEST_DISPUTES: whole([0, 20], 2, "How often a worker may send back a test that it thinks wrong."),
  OPENTIGER_APPROVE_PLANS: choice(
    ["no", "yes"],
    "no",
    "Whether a plan waits for a person before its tasks run.",
  ),

  OPENTIGER_SETUP_TIMEOUT: duration(["10s", "1d"], "30m", "How long a project's set-up may take."),
  OPENTIGER_PLAN_TIMEOUT: duration(["10s", "1d"], "30m", "How long one run of the planner may take."),
  OPENTIGER_RUN_TIMEOUT: duration(
    ["10s", "7d"],
    "2h",
    "How long one turn of a task's agent may take; a message that it is told begins another.",
  ),
  OPENTIGER_IDLE_TIMEOUT: duration(["10s", "1d"], "15m", "How long a run may show no sign of progress."),
  OPENTIGER_VERIFY_TIMEOUT: duration(["1s", "1d"], "20m", "How long one verify command may take."),
  OPENTIGER_JUDGE_TIMEOUT: duration(["10s", "1d"], "1h", "How long one judgement may take in all."),
  OPENTIGER_QUOTA_WAIT: duration(["1m", "30d"], "7d", "How long a task may wait for a quota to come back."),
  OPENTIGER_QUOTA_KEEP: duration(["1m", "7d"], "6h", "How long the sandbox of a waiting task is kept."),

  OPENTIGER_ARTIFACT_TIME: duration(["1h", "3650d"], "30d", "How long transcripts, diffs and logs are kept."),
  OPENTIGER_ARTIFACT_SIZE: size(["64k", "1g"], "20m", "How much of one transcript, diff or log is kept."),
  OPENTIGER_ARTIFACTS_SIZE: size(["10m", "10t"], "5g", "How much disk all of them may take together."),

  OPENTIGER_GIT_NAME: text(author, null, "The author of commits; the one of your git settings by default."),
  OPENTIGER_GIT_EMAIL: text(address, null, "The author's address; the one of your git settings by default."),
} as const satisfies Record<string, ConfigKey<unknown>>;

export type ConfigKeyName = keyof typeof configKeys;
export type ConfigValue<Name extends ConfigKeyName> = (typeof configKeys)[Name]["fallback"]["value"];
export type ConfigValues = { readonly [Name in ConfigKeyName]: ConfigValue<Name> };

/** The names, in the order of the table. */
export const configKeyNames = Object.keys(configKeys).filter(isConfigKey);

export function isConfigKey(key: string): key is ConfigKeyName {
  return Object.hasOwn(configKeys, key);
}

/**
 * What `opentiger up --set` was given, as JSON, for the server and the processes of ours that it starts. No agent and no
 * sandbox has it.
 */
export const setVariable = "OPENTIGER_SET";

/** Where a value comes from, the strongest first. */
export const configSources = ["flag", "environment", "stored", "default"] as const;
export const configSource = z.enum(configSources);
export type ConfigSource = z.infer<typeof configSource>;

/** A key as it is shown. */
export const configEntry = z.object({
  key: z.string(),
  /** As it is stored; null where there is none. */
  value: z.union([z.string(), z.number(), z.array(z.string()), z.null()]),
  source: configSource,
  default: z.union([z.string(), z.number(), z.array(z.string()), z.null()]),
  about: z.string(),
  expects: z.string(),
  choices: z.array(z.string()).nullable(),
  /** A flag or the environment says it: it cannot be changed here. */
  pinned: z.boolean(),
  /** Why the value cannot be used, where it cannot. */
  problem: z.string().nullable(),
  updatedAt: z.iso.datetime().nullable(),
  updatedBy: z.string().nullable(),
});
export type ConfigEntry = z.infer<typeof configEntry>;
