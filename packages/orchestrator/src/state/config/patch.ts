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
import { type ConfigLayers, invalidValue, pinnedBy } from "./resolve.ts";

/** What is to be stored, checked; null: the default again. */
export type CheckedPatch = ReadonlyMap<ConfigKeyName, ConfigJson>;

/** What is stronger than anything that is stored. */
type Pins = Pick<ConfigLayers, "flags" | "env">;

/** Checks every change before any is made. Refuses keys that nobody knows, that something stronger pins, and secrets. */
export function checkPatch(changes: Readonly<Record<string, unknown>>, pins: Pins): CheckedPatch {
  return new Map(Object.entries(changes).map(([key, raw]) => checkChange(key, raw, pins)));
}

/** The key of that name. Refuses one that nobody knows, and a secret, whatever its key is. */
export function knownKey(key: string, raw: unknown): ConfigKeyName {
  if (!isConfigKey(key)) throw isSecretName(key) || isSecretValue(raw) ? secret(key) : unknownKey(key);
  if (isSecretValue(raw)) throw secret(key);
  return key;
}

function checkChange(key: string, raw: unknown, { flags, env }: Pins): readonly [ConfigKeyName, ConfigJson] {
  const name = knownKey(key, raw);
  if (flags[name] !== undefined) throw givenKey(name);
  const pinned = pinnedBy(name, env);
  if (pinned) throw pinnedKey(name, pinned);
  if (raw === null) return [name, null];
  const reading = configKeys[name].read(raw);
  if (!reading) throw invalidValue(name, raw, "stored");
  return [name, reading.json];
}

function givenKey(key: string): OrchestratorError {
  return new OrchestratorError(
    "config_pinned",
    `${key} is set by the flag --set ${key} of \`opentiger up\`, which is stronger than what is stored`,
    { remedy: `opentiger down, then opentiger up without --set ${key}` },
  );
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
    remedy: `put it into the vault: opentiger secrets add ${key.toLowerCase()}`,
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
