import { type ConfigKeyName, configKeys, setVariable } from "@opentiger/schema";
import { z } from "zod";
import { OrchestratorError } from "../../errors.ts";
import { knownKey } from "./patch.ts";
import { type ConfigLayers, invalidValue } from "./resolve.ts";

type Flags = ConfigLayers["flags"];

/** What `opentiger up` is given: each KEY=VALUE. Nothing is taken of words of which one cannot be taken. */
export function readFlags(words: readonly string[]): Flags {
  try {
    return checked(Object.fromEntries(words.map(keyAndValue)));
  } catch (error) {
    if (!(error instanceof OrchestratorError)) throw error;
    const { message, remedy } = error;
    throw new OrchestratorError("usage", message, remedy === undefined ? {} : { remedy });
  }
}

/** The environment for a process that is to have them: all that it starts has them too. */
export function withFlags(env: NodeJS.ProcessEnv, flags: Flags): NodeJS.ProcessEnv {
  return Object.keys(flags).length === 0 ? env : { ...env, [setVariable]: JSON.stringify(flags) };
}

const carried = z.record(z.string(), z.string());

/** What this process was given by whoever started it. What cannot be read is not taken for nothing. */
export function flagsOf(env: NodeJS.ProcessEnv): Flags {
  const written = env[setVariable];
  if (!written) return {};
  try {
    return checked(carried.parse(JSON.parse(written)));
  } catch (error) {
    const why = error instanceof OrchestratorError ? error.message : "it is not JSON of ours";
    throw new OrchestratorError("config_invalid", `the variable ${setVariable} cannot be used: ${why}`, {
      remedy: `unset ${setVariable}, and say \`opentiger up --set KEY=VALUE\` instead`,
      cause: error,
    });
  }
}

/** The word is not repeated: whoever forgot the key may have written a secret. */
function keyAndValue(word: string): [string, string] {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
  if (key !== undefined && value !== undefined) return [key, value];
  throw new OrchestratorError("usage", "--set needs KEY=VALUE", {
    remedy: "write it as in --set OPENTIGER_MAX_WORKERS=2; `opentiger config ls` has the keys",
  });
}

function checked(given: Readonly<Record<string, string>>): Flags {
  const flags: Partial<Record<ConfigKeyName, string>> = {};
  for (const [key, value] of Object.entries(given)) {
    const name = knownKey(key, value);
    if (!configKeys[name].read(value)) throw invalidValue(name, value, "flag");
    flags[name] = value;
  }
  return flags;
}
