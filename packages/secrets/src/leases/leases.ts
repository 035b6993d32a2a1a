import { randomBytes } from "node:crypto";
import { VaultError } from "../errors.ts";
import type { Secret } from "../secrets/secret.ts";
import type { VersionedFile } from "../storage/versioned-file.ts";
import { type Lease, type LeaseBook, leaseHolder, requireTtl } from "./lease.ts";
import { leaseState, pruned, withEnded, withLease } from "./lease-rules.ts";
import { type Refusal, refusal } from "./redemption.ts";

export interface LeaseRequest {
  ttlMs: number;
  holder: { who: string; sandbox?: string | undefined; run?: string | undefined };
}

/** Who redeems. A lease made for a sandbox or a run is refused to any other. */
export interface LeaseUse {
  sandbox?: string | undefined;
  run?: string | undefined;
}

export type Judged = { lease: Lease; secret: Secret } | Refusal;

/**
 * The leases. Whether one is good is decided anew at each use, from what is on the disk at that moment. The secrets
 * are always read after the leases: a lease is written only when its secret is there, so a secret that is then
 * missing was deleted.
 */
export class Leases {
  readonly #file: VersionedFile<LeaseBook>;
  readonly #secrets: () => Promise<readonly Secret[]>;
  readonly #now: () => Date;

  constructor(file: VersionedFile<LeaseBook>, secrets: () => Promise<readonly Secret[]>, now: () => Date) {
    this.#file = file;
    this.#secrets = secrets;
    this.#now = now;
  }

  issue({ id: secretId, name }: Secret, { ttlMs, holder }: LeaseRequest): Promise<Lease> {
    requireTtl(ttlMs);
    const checked = requireHolder(holder);
    return this.#change((book, now) => {
      const lease: Lease = {
        id: randomBytes(10).toString("hex"),
        secretId,
        name,
        holder: checked,
        createdAt: now.toISOString(),
        expiresAt: new Date(now.getTime() + ttlMs).toISOString(),
        ended: null,
      };
      return { next: withLease(book, lease, now), result: lease };
    });
  }

  /** Whether the lease is good for this use, right now. */
  async judge(id: string, use: LeaseUse): Promise<Judged> {
    const { leases } = await this.#file.read();
    return this.#judgeIn(leases, id, use, await this.#secrets());
  }

  renew(id: string, ttlMs: number): Promise<Lease | Refusal> {
    requireTtl(ttlMs);
    return this.#change<Lease | Refusal>((book, now, secrets) => {
      const lease = book.leases.find((each) => each.id === id);
      const judged = this.#judgeIn(book.leases, id, useOf(lease), secrets);
      if ("outcome" in judged) return { next: book, result: judged };
      const renewed = { ...judged.lease, expiresAt: new Date(now.getTime() + ttlMs).toISOString() };
      const leases = book.leases.map((each) => (each.id === id ? renewed : each));
      return { next: { ...book, leases }, result: renewed };
    });
  }

  async live(): Promise<Lease[]> {
    const { leases } = await this.#file.read();
    const there = idsOf(await this.#secrets());
    return leases.filter((each) => leaseState(each, this.#now()) === "live" && there.has(each.secretId));
  }

  /**
   * undefined when there is no such lease. One that has ended already stays as it is. Asks nothing of the secrets:
   * it works when they cannot be read, too.
   */
  revoke(id: string): Promise<Lease | undefined> {
    return this.#file.change(async (book) => {
      const now = this.#now();
      const next = pruned(withEnded(book, { why: "revoked", now, chosen: (each) => each.id === id }), now);
      return { next, result: book.leases.find((each) => each.id === id) };
    });
  }

  /** Those that were live. Also mends leases that cannot be read: afterwards there is none. */
  async revokeAll(): Promise<Lease[]> {
    try {
      return await this.#file.change(async (book) => {
        const now = this.#now();
        const result = book.leases.filter((each) => leaseState(each, now) === "live");
        return { next: pruned(withEnded(book, { why: "revoked", now, chosen: () => true }), now), result };
      });
    } catch (error) {
      if (!(error instanceof VaultError) || error.code !== "vault_unreadable") throw error;
      await this.#file.replace({ version: 1, leases: [] });
      return [];
    }
  }

  /** After a secret was deleted. Should it not work, the secret's leases are refused all the same. */
  async forgetDeleted(): Promise<void> {
    try {
      await this.#change((book) => ({ next: book, result: undefined }));
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
    }
  }

  /** Also ends the leases of deleted secrets and drops those that ended long ago. */
  #change<R>(
    step: (book: LeaseBook, now: Date, secrets: readonly Secret[]) => { next: LeaseBook; result: R },
  ): Promise<R> {
    return this.#file.change(async (book) => {
      const secrets = await this.#secrets();
      const there = idsOf(secrets);
      const now = this.#now();
      const chosen = ({ secretId }: Lease) => !there.has(secretId);
      const { next, result } = step(withEnded(book, { why: "deleted", now, chosen }), now, secrets);
      return { next: pruned(next, now), result };
    });
  }

  #judgeIn(leases: readonly Lease[], id: string, use: LeaseUse, secrets: readonly Secret[]): Judged {
    const lease = leases.find((each) => each.id === id);
    if (!lease) return refusal("unknown", undefined);
    const state = leaseState(lease, this.#now());
    if (state !== "live") return refusal(state, lease);
    const secret = secrets.find((each) => each.id === lease.secretId);
    if (!secret) return refusal("deleted", lease);
    if (!isHolder(lease, use)) return refusal("other_holder", lease);
    return { lease, secret };
  }
}

function isHolder({ holder }: Lease, { sandbox, run }: LeaseUse): boolean {
  return (
    (holder.sandbox === null || holder.sandbox === sandbox) && (holder.run === null || holder.run === run)
  );
}

function useOf(lease: Lease | undefined): LeaseUse {
  return { sandbox: lease?.holder.sandbox ?? undefined, run: lease?.holder.run ?? undefined };
}

function idsOf(secrets: readonly Secret[]): Set<string> {
  return new Set(secrets.map(({ id }) => id));
}

function requireHolder(holder: LeaseRequest["holder"]): Lease["holder"] {
  const checked = leaseHolder.safeParse(holder);
  if (checked.success) return checked.data;
  throw new VaultError("usage", "the holder of a lease is told in 1 to 128 characters", {
    remedy: "name the sandbox and the run by their names",
  });
}
