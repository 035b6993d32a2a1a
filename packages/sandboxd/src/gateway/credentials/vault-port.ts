import type { Refusal } from "../exchange/refusal.ts";

/** How the gateway sees the vault. Trouble with it is a refusal, never an exception and never "no such secret". */
export interface CredentialSource {
  /** Names of the secrets that are there. */
  names(): Promise<VaultAnswer<ReadonlySet<string>>>;
  lease(name: string, request: { ttlMs: number; sandbox: string }): Promise<VaultAnswer<LeaseHandle>>;
  /** The value as it is now, if the lease is good now. */
  redeem(
    lease: string,
    use: { sandbox: string; run: string | undefined; purpose: string },
  ): Promise<VaultAnswer<string>>;
  renew(lease: string, ttlMs: number): Promise<VaultAnswer<LeaseHandle>>;
  revoke(lease: string): Promise<void>;
  /** For a login that was refreshed. */
  update(name: string, value: string): Promise<void>;
}

export interface LeaseHandle {
  id: string;
  expiresAt: string;
}

export type VaultAnswer<T> = { ok: true; value: T } | { ok: false; refusal: Refusal };
