import {
  type ConfigJson,
  type ConfigKeyName,
  configKeyNames,
  configKeys,
  isConfigKey,
  isSecretName,
  isSecretValue,
} from "@opentiger/schema";
import { OrchestratorError } from "../../errors.ts";
import { invalidValue, pinnedBy } from "./resolve.ts";

/** What is to be stored, checked; null: the default again. */
export type CheckedPatch = ReadonlyMap<ConfigKeyName, ConfigJson>;

/** Checks every change before any is made. Refuses keys that nobody knows, that the environment pins, and secrets. */
export function checkPatch(changes: Readonly<Record<string, unknown>>, env: NodeJS.ProcessEnv): CheckedPatch {
  return new Map(Object.entries(changes).map(([key, raw]) => checkChange(key, raw, env)));
}

function checkChange(
  key: string,
  raw: unknown,
  env: NodeJS.ProcessEnv,
): readonly [ConfigKeyName, ConfigJson] {
  if (!isConfigKey(key)) throw isSecretName(key) || isSecretValue(raw) ? secret(key) : unknownKey(key);
  if (isSecretValue(raw)) throw secret(key);
  const pinned = pinnedBy(key, env);
  if (pinned) throw pinnedKey(key, pinned);
  if (raw === null) return [key, null];
  const reading = configKeys[key].read(raw);
  if (!reading) throw invalidValue(key, raw, "stored");
  return [key, reading.json];
}

function pinnedKey(key: string, variable: string): OrchestratorError {
  return new OrchestratorError(
    "config_pinned",
    `${key} is set by the environment variable ${variable}, which is stronger than what is stored`,
    { remedy: `unset ${variable} where openTiger is started, and start it again` },
  );
}

/** Neither the value nor a part of it is shown. */
function secret(key: string): OrchestratorError {
  return new OrchestratorError("config_secret", `${key} is a secret, and settings are no place for one`, {
    remedy: `put it into the vault: secrets add ${key.toLowerCase()}`,
  });
}

function unknownKey(key: string): OrchestratorError {
  const near = configKeyNames.find((name) => simplified(name) === simplified(key));
  return new OrchestratorError("config_unknown", `there is no setting called ${JSON.stringify(key)}`, {
    remedy: near ? `did you mean ${near}?` : `the settings are ${configKeyNames.join(", ")}`,
  });
}

function simplified(name: string): string {
  return name
    .toUpperCase()
    .replace(/^OPENTIGER_/, "")
    .replaceAll(/[^A-Z0-9]/g, "");
}
