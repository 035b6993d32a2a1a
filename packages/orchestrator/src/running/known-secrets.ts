import { isSecretValue } from "@opentiger/schema";

/** By which variables of secrets are known that do not look like one. */
const secretName = /key|token|secret|password|credential/i;

/** Shorter ones would be found by chance in any text. */
const shortest = 8;

/** Values that shall appear nowhere, as far as this process has them: they stand in its environment or the agent's. */
export function knownSecrets(...environments: readonly NodeJS.ProcessEnv[]): string[] {
  const found = environments.flatMap((env) =>
    Object.entries(env).flatMap(([name, value = ""]) =>
      value.length >= shortest && (secretName.test(name) || isSecretValue(value)) ? [value] : [],
    ),
  );
  return [...new Set(found)];
}
