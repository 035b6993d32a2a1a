import type { Sandbox } from "@opentiger/sandbox";
import type { Vault, WellKnownName } from "@opentiger/secrets";
import { putCodexLogin } from "./codex-login.ts";
import { inVault, leasedValue, type SecretsPackage } from "./leased.ts";

type Provider = "anthropic" | "openai";

/**
 * The variables with which a command's agent logs in: the vault's credential, a subscription before an API key, else
 * what the caller has in the environment. Where one was given for an API already, that one stands. They go to the
 * supervisor with the command, so nothing of the engine's and no file ever has them.
 */
export function injectedVariables(
  sandbox: Pick<Sandbox, "name" | "agent" | "exec">,
  given: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
): Promise<Injected> {
  return inVault(env, async (vault, secrets) => {
    const held = new Set((await vault.list()).map(({ name }) => name));
    const injected: Injected = { env: {}, origins: [] };
    for (const order of ordersOf(sandbox.agent, secrets)) {
      const chosen = order.flatMap((name) => variablesOf(name, secrets)).some((name) => name in given);
      if (chosen) continue;
      const secret = order.find((name) => held.has(name));
      const found = secret
        ? await fromVault(vault, secrets, secret, sandbox)
        : fromCaller(order, secrets, env);
      if (!found) continue;
      Object.assign(injected.env, found.env);
      injected.origins.push(...found.origins);
    }
    return injected;
  });
}

export interface Injected {
  env: Record<string, string>;
  /** Where they came from, for people. */
  origins: string[];
}

/** Of the secrets that the vault holds, those that such an agent is given. */
export function usedSecrets(
  agent: string,
  secrets: SecretsPackage,
  held: ReadonlySet<string>,
): WellKnownName[] {
  return ordersOf(agent, secrets).flatMap((order) => order.find((name) => held.has(name)) ?? []);
}

/** The secrets that are of use to an agent, for each API those that are tried one after the other. */
function ordersOf(agent: string, { credentialOrder, wellKnownSecret }: SecretsPackage): WellKnownName[][] {
  const orders = providersOf(agent).map((provider): WellKnownName[] => [...credentialOrder[provider]]);
  if (agent !== "opencode") return orders;
  // A subscription is for the provider's own CLI.
  return orders.map((order) => order.filter((name) => wellKnownSecret(name)?.kind === "api_key"));
}

function providersOf(agent: string): Provider[] {
  if (agent === "claude") return ["anthropic"];
  if (agent === "codex") return ["openai"];
  return ["anthropic", "openai"];
}

async function fromVault(
  vault: Vault,
  secrets: SecretsPackage,
  name: WellKnownName,
  sandbox: Pick<Sandbox, "name" | "exec">,
): Promise<Injected> {
  const { value, updatedAt } = await leasedValue(vault, name, { sandbox: sandbox.name, purpose: "inject" });
  const origins = [`secret ${name}`];
  if (name === "codex_auth_json") {
    await putCodexLogin(sandbox, value, updatedAt);
    return { env: {}, origins };
  }
  const entries = variablesOf(name, secrets).map((variable) => [variable, value] as const);
  return { env: Object.fromEntries(entries), origins };
}

function fromCaller(
  order: readonly WellKnownName[],
  secrets: SecretsPackage,
  env: NodeJS.ProcessEnv,
): Injected | undefined {
  for (const names of order.map((name) => variablesOf(name, secrets))) {
    const name = names.find((variable) => env[variable]);
    const value = name && env[name];
    if (!value) continue;
    const entries = names.map((variable) => [variable, env[variable] || value] as const);
    return { env: Object.fromEntries(entries), origins: [`variable ${name}`] };
  }
  return undefined;
}

function variablesOf(name: WellKnownName, { wellKnownSecret }: SecretsPackage): readonly string[] {
  return wellKnownSecret(name)?.variables ?? [];
}
