import type { Place } from "@opentiger/orchestrator";
import { type ConfigKeyName, setVariable } from "@opentiger/schema";

const loginKeys = [
  "SANDBOX_DOCKER_IMAGE",
  "SANDBOX_DOCKER_NETWORK",
  "SANDBOX_CREDENTIALS",
] as const satisfies readonly ConfigKeyName[];

const known = new WeakMap<object, { written: string; env: NodeJS.ProcessEnv }>();

/**
 * The check of a login reads its settings from an environment; the same object as long as they are the same, for it
 * remembers what it found.
 */
export function loginEnvironment({ config, env }: Pick<Place, "config" | "env">): NodeJS.ProcessEnv {
  const settings = Object.fromEntries(loginKeys.map((key) => [key, config.get(key) ?? undefined]));
  const written = JSON.stringify(settings);
  const before = known.get(config);
  if (before?.written === written) return before.env;
  const now = { written, env: { ...env, ...settings, [setVariable]: undefined } };
  known.set(config, now);
  return now.env;
}
