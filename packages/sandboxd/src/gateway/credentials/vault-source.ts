import { type Vault, VaultError } from "@opentiger/secrets";
import type { Refusal } from "../exchange/refusal.ts";
import type { CredentialSource, VaultAnswer } from "./vault-port.ts";

/** Who the vault's audit says it was. */
const who = "sandboxd gateway";

/** The vault of @opentiger/secrets behind the gateway's port. */
export function vaultSource(vault: Vault): CredentialSource {
  return {
    names: () => answered(async () => new Set((await vault.list()).map(({ name }) => name))),
    lease: (name, { ttlMs, sandbox }) =>
      answered(async () => await vault.lease(name, { ttlMs, holder: { who, sandbox } })),
    redeem: async (lease, use) => {
      const asked = await answered(() => vault.redeem(lease, use));
      if (!asked.ok) return asked;
      if (asked.value.outcome === "refused") return { ok: false, refusal: ended(asked.value, use.sandbox) };
      return { ok: true, value: asked.value.value.toString("utf8") };
    },
    renew: async (lease, ttlMs) => {
      const asked = await answered(() => vault.renew(lease, ttlMs));
      if (!asked.ok) return asked;
      if (asked.value.outcome === "refused") return { ok: false, refusal: ended(asked.value, "NAME") };
      return { ok: true, value: asked.value.lease };
    },
    revoke: async (lease) => {
      await vault.revoke(lease);
    },
    update: async (name, value) => {
      await vault.update(name, Buffer.from(value));
    },
  };
}

async function answered<T>(ask: () => Promise<T>): Promise<VaultAnswer<T>> {
  try {
    return { ok: true, value: await ask() };
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    return {
      ok: false,
      refusal: {
        code: "vault",
        message: sentence(error.message),
        remedy: sentence(error.remedy ?? "See `opentiger secrets status`"),
      },
    };
  }
}

function ended({ message }: { message: string }, sandbox: string): Refusal {
  return {
    code: "lease_ended",
    message: sentence(message),
    remedy: `Give the sandbox the credential anew with \`opentiger sandbox auth ${sandbox} --grant\`.`,
  };
}

function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
