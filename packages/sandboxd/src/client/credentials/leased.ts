import { SandboxError, stateFolder } from "@opentiger/sandbox";
import type { Vault, WellKnownName } from "@opentiger/secrets";

/** So long a lease serves the commands of a sandbox; each use of it is in the audit. */
const ttlMs = 3_600_000;

/** Who the vault's audit says it was. */
const who = "sandbox credentials";

export interface LeasedValue {
  value: string;
  updatedAt: string;
}

export type SecretsPackage = typeof import("@opentiger/secrets");

/**
 * Works on this user's vault. The package is loaded only now: its cryptography is nothing for the start of commands
 * that need no secret.
 */
export async function inVault<T>(
  env: NodeJS.ProcessEnv,
  act: (vault: Vault, secrets: SecretsPackage) => Promise<T>,
): Promise<T> {
  const secrets = await import("@opentiger/secrets");
  return act(secrets.openVault({ stateFolder: stateFolder(env), env, program: who }), secrets);
}

export interface SecretUse {
  sandbox: string;
  /** For the audit: it is put into the sandbox, or only known, so that it can be cleaned out of what comes from there. */
  purpose: "inject" | "redact";
}

/** The value under a lease of this sandbox's: the one it has, so that many commands do not use the leases up. */
export async function leasedValue(vault: Vault, name: WellKnownName, use: SecretUse): Promise<LeasedValue> {
  const { sandbox } = use;
  const known = (await vault.leases()).find(
    (lease) => lease.name === name && lease.holder.who === who && lease.holder.sandbox === sandbox,
  );
  const held = known && (await vault.redeem(known.id, use));
  if (held?.outcome === "redeemed") return readable(held);
  const { id } = await vault.lease(name, { ttlMs, holder: { who, sandbox } });
  const redeemed = await vault.redeem(id, use);
  if (redeemed.outcome === "redeemed") return readable(redeemed);
  throw new SandboxError("secret_not_found", redeemed.message, { remedy: redeemed.remedy });
}

function readable({ value, updatedAt }: { value: Buffer; updatedAt: string }): LeasedValue {
  return { value: value.toString("utf8"), updatedAt };
}
