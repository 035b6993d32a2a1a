import {
  type ConfigEntry,
  type ConfigJson,
  type ConfigKeyName,
  type ConfigReading,
  type ConfigSource,
  type ConfigValue,
  configKeyNames,
  configKeys,
  isSecretValue,
} from "@opentiger/schema";
import { OrchestratorError } from "../../errors.ts";
import type { StoredValue } from "./stored-values.ts";

/** Where values come from, the strongest first; what is absent says nothing. */
export interface ConfigLayers {
  /** What `opentiger up --set` was given, which this process has of the one that started it. */
  flags: Readonly<Partial<Record<ConfigKeyName, string>>>;
  env: NodeJS.ProcessEnv;
  stored: ReadonlyMap<string, StoredValue>;
}

interface Found {
  source: ConfigSource;
  raw: unknown;
  /** Set where it cannot be used, whatever it is. */
  problem?: OrchestratorError;
}

/** The value in force. One that may not stand where it stands is an error: nothing weaker takes its place unsaid. */
export function resolveValue<Name extends ConfigKeyName>(
  name: Name,
  layers: ConfigLayers,
): ConfigValue<Name> {
  const reading = read(name, find(name, layers));
  if (reading instanceof OrchestratorError) throw reading;
  // Each name has the key of its own value in the table; of any name, the compiler knows only that it is one of all.
  return reading.value as ConfigValue<Name>;
}

/** The key as it is shown, also where its value cannot be used. */
export function describeKey(name: ConfigKeyName, layers: ConfigLayers): ConfigEntry {
  const { about, expects, choices, fallback } = configKeys[name];
  const found = find(name, layers);
  const reading = read(name, found);
  const broken = reading instanceof OrchestratorError;
  const stored = layers.stored.get(name);
  return {
    key: name,
    value: broken ? shown(found.raw) : copied(reading.json),
    source: found.source,
    default: copied(fallback.json),
    about,
    expects,
    choices: choices && [...choices],
    pinned: layers.flags[name] !== undefined || pinnedBy(name, layers.env) !== undefined,
    problem: broken ? reading.message : null,
    updatedAt: stored?.updatedAt.toISOString() ?? null,
    updatedBy: stored?.updatedBy ?? null,
  };
}

/** The variable that says this key's value; undefined where none does. */
export function pinnedBy(name: ConfigKeyName, env: NodeJS.ProcessEnv): string | undefined {
  if (env[name]?.trim()) return name;
  return name === "EXECUTION_ENVIRONMENT" && env["AGENT_LOOP_HOST"] === "1" ? "AGENT_LOOP_HOST" : undefined;
}

/** The keys whose value this environment says, each with the variable that does. */
export function pinsOf(env: NodeJS.ProcessEnv): Partial<Record<ConfigKeyName, string>> {
  return Object.fromEntries(
    configKeyNames.flatMap((name) => {
      const variable = pinnedBy(name, env);
      return variable === undefined ? [] : [[name, variable]];
    }),
  );
}

export function invalidValue(name: ConfigKeyName, raw: unknown, source: ConfigSource): OrchestratorError {
  const { expects } = configKeys[name];
  return new OrchestratorError(
    "config_invalid",
    `${name} must be ${expects}, and is ${JSON.stringify(shown(raw))}`,
    {
      remedy: remedies[source](name, expects),
    },
  );
}

const remedies: Readonly<Record<ConfigSource, (name: string, expects: string) => string>> = {
  flag: (_name, expects) => `give ${expects}`,
  environment: (name, expects) => `set the environment variable ${name} to ${expects}, or unset it`,
  stored: (name, expects) => `set ${name} to ${expects}, or set it back to its default`,
  default: (name) => `set ${name}: its default cannot be used`,
};

function find(name: ConfigKeyName, { flags, env, stored }: ConfigLayers): Found {
  const flag = flags[name];
  if (flag !== undefined) return { source: "flag", raw: flag };
  const variable = pinnedBy(name, env);
  if (variable === "AGENT_LOOP_HOST") return { source: "environment", raw: "host" };
  if (variable) return { source: "environment", raw: env[variable], ...contradiction(name, env) };
  const kept = stored.get(name);
  return kept ? { source: "stored", raw: kept.value } : { source: "default", raw: undefined };
}

function read(
  name: ConfigKeyName,
  { source, raw, problem }: Found,
): ConfigReading<unknown> | OrchestratorError {
  if (problem) return problem;
  if (source === "default") return configKeys[name].fallback;
  return configKeys[name].read(raw) ?? invalidValue(name, raw, source);
}

/** Both are the user's word, and they cannot both be true. */
function contradiction(name: ConfigKeyName, env: NodeJS.ProcessEnv): Pick<Found, "problem"> {
  const raw = env[name]?.trim();
  if (name !== "EXECUTION_ENVIRONMENT" || env["AGENT_LOOP_HOST"] !== "1" || raw === "host") return {};
  const message = `AGENT_LOOP_HOST=1 asks for the host, and EXECUTION_ENVIRONMENT=${shown(raw)} for something else`;
  return { problem: new OrchestratorError("config_invalid", message, { remedy: "unset one of them" }) };
}

/** The table's own lists stay the table's. */
function copied(json: ConfigJson): ConfigEntry["value"] {
  return typeof json === "object" && json !== null ? [...json] : json;
}

/** Enough to recognise it by; a secret that somebody put into the wrong place is not shown at all. */
function shown(raw: unknown): string {
  if (isSecretValue(raw)) return "(a secret)";
  const written = typeof raw === "string" ? raw : (JSON.stringify(raw) ?? "");
  return written.length > 80 ? `${written.slice(0, 80)}…` : written;
}
