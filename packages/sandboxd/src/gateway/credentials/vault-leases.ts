import type { GatewayCaller } from "../caller.ts";
import type { Grants } from "./grants.ts";
import type { CredentialSource, LeaseHandle, VaultAnswer } from "./vault-port.ts";

interface LeaseParts {
  vault: CredentialSource;
  grants: Grants;
  now: () => Date;
  leaseTtlMs: number;
}

/**
 * The leases of the sandboxes. One is taken when a secret is first needed, redeemed for every request, and made to
 * live longer while it is good and used. One that has ended is never replaced by itself: that would undo who ended it.
 */
export class VaultLeases {
  readonly #parts: LeaseParts;
  readonly #taking = new Map<string, Promise<VaultAnswer<LeaseHandle>>>();
  readonly #renewing = new Set<string>();

  constructor(parts: LeaseParts) {
    this.#parts = parts;
  }

  async redeem(secret: string, caller: GatewayCaller, purpose: string): Promise<VaultAnswer<string>> {
    const { vault, grants } = this.#parts;
    const kept = grants.of(caller.sandboxId)?.leases[secret];
    const taken: VaultAnswer<LeaseHandle> = kept
      ? { ok: true, value: kept }
      : await this.#take(secret, caller);
    if (!taken.ok) return taken;
    const lease = taken.value;
    const redeemed = await vault.redeem(lease.id, { sandbox: caller.sandboxName, run: caller.run, purpose });
    if (redeemed.ok) this.#renewAhead(secret, caller, lease);
    return redeemed;
  }

  /** Requests that start together take one lease together. */
  #take(secret: string, caller: GatewayCaller): Promise<VaultAnswer<LeaseHandle>> {
    const key = `${caller.sandboxId} ${secret}`;
    const taking =
      this.#taking.get(key) ?? this.#takeNow(secret, caller).finally(() => this.#taking.delete(key));
    this.#taking.set(key, taking);
    return taking;
  }

  async #takeNow(
    secret: string,
    { sandboxId, sandboxName }: GatewayCaller,
  ): Promise<VaultAnswer<LeaseHandle>> {
    const { vault, leaseTtlMs } = this.#parts;
    const taken = await vault.lease(secret, { ttlMs: leaseTtlMs, sandbox: sandboxName });
    if (taken.ok) this.#keep(sandboxId, secret, taken.value);
    return taken;
  }

  #renewAhead(secret: string, { sandboxId }: GatewayCaller, { id, expiresAt }: LeaseHandle): void {
    const { vault, leaseTtlMs, now } = this.#parts;
    const left = Date.parse(expiresAt) - now().getTime();
    if (left > leaseTtlMs / 2 || this.#renewing.has(id)) return;
    this.#renewing.add(id);
    vault
      .renew(id, leaseTtlMs)
      // What goes wrong here is told when the lease is redeemed next.
      .then(
        (renewed) => renewed.ok && this.#keep(sandboxId, secret, renewed.value),
        () => {},
      )
      .finally(() => this.#renewing.delete(id));
  }

  #keep(sandboxId: string, secret: string, { id, expiresAt }: LeaseHandle): void {
    this.#parts.grants.change(sandboxId, (latest) => ({
      ...latest,
      leases: { ...latest.leases, [secret]: { id, expiresAt } },
    }));
  }
}
