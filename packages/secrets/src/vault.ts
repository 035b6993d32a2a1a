import { join } from "node:path";
import { AuditLog, type AuditTrail } from "./audit/audit-log.ts";
import { AuditRecorder } from "./audit/audit-recorder.ts";
import { type SecretSummary, summaryOf } from "./credentials/expiry.ts";
import type { LeaseBook } from "./leases/lease.ts";
import { leaseCodec } from "./leases/lease-codec.ts";
import { type LeaseRequest, Leases, type LeaseUse } from "./leases/leases.ts";
import {
  type LeaseSummary,
  leaseSummary,
  type Redeemed,
  type Refusal,
  type Renewed,
} from "./leases/redemption.ts";
import { bytesOf, requireName, type SecretBook } from "./secrets/secret.ts";
import { secretCodec } from "./secrets/secret-codec.ts";
import { SecretStore } from "./secrets/secret-store.ts";
import { acceptedValue } from "./secrets/value.ts";
import { statusOf, type VaultStatus } from "./status.ts";
import { KeyFile, vaultKeyFile } from "./storage/key-file.ts";
import { VersionedFile } from "./storage/versioned-file.ts";
import { Versions } from "./storage/versions.ts";

export interface VaultOptions {
  /** The state folder of this instance; the vault lies in `secrets` below it. */
  stateFolder: string;
  /** Says where the key is. */
  env: NodeJS.ProcessEnv;
  /** What the audit calls this program. */
  program: string;
  now?: () => Date;
}

/** Opens nothing and makes nothing yet: that happens with the first call. */
export function openVault(options: VaultOptions): Vault {
  return new Vault(options);
}

/**
 * The secrets of one user. A value is handed out in two ways only, both under a lease and both in the audit before the
 * caller has it. Every call works on what is on the disk at that moment, whichever process wrote it.
 */
export class Vault {
  readonly folder: string;
  readonly keyFile: string;
  readonly #secrets: SecretStore;
  readonly #leases: Leases;
  readonly #log: AuditLog;
  readonly #recorder: AuditRecorder;
  readonly #now: () => Date;

  constructor({ stateFolder, env, program, now = () => new Date() }: VaultOptions) {
    this.folder = join(stateFolder, "secrets");
    const key = new KeyFile(vaultKeyFile(env), this.folder);
    this.keyFile = key.path;
    this.#now = now;
    this.#log = new AuditLog(join(this.folder, "audit"));
    this.#recorder = new AuditRecorder(this.#log, program, now);
    const values = new Versions(join(this.folder, "values"), ".age");
    const codec = secretCodec(key, () => values.latest() !== undefined);
    const noSecrets: SecretBook = { version: 1, secrets: [] };
    this.#secrets = new SecretStore(new VersionedFile(values, codec, noSecrets), now);
    const noLeases: LeaseBook = { version: 1, leases: [] };
    const leases = new VersionedFile(
      new Versions(join(this.folder, "leases"), ".json"),
      leaseCodec,
      noLeases,
    );
    this.#leases = new Leases(leases, () => this.#secrets.all(), now);
  }

  /** Refuses a name that is taken. */
  async add(name: string, value: Uint8Array, options: { expiresAt?: Date } = {}): Promise<SecretSummary> {
    requireName(name);
    return this.#recorder.around({ action: "add", secret: name }, async () => {
      const { expiresAt } = options;
      const added = await this.#secrets.add({ name, value: acceptedValue(name, value), expiresAt });
      return summaryOf(added, this.#now());
    });
  }

  /** Leases go on and give the new value from now on. What was said about the old value's expiry is forgotten. */
  async update(name: string, value: Uint8Array, options: { expiresAt?: Date } = {}): Promise<SecretSummary> {
    requireName(name);
    return this.#recorder.around({ action: "update", secret: name }, async () => {
      const { expiresAt } = options;
      const changed = await this.#secrets.update({ name, value: acceptedValue(name, value), expiresAt });
      return summaryOf(changed, this.#now());
    });
  }

  /** Ends its leases too. */
  async delete(name: string): Promise<void> {
    requireName(name);
    return this.#recorder.around({ action: "delete", secret: name }, async () => {
      await this.#secrets.delete(name);
      await this.#leases.forgetDeleted();
    });
  }

  async list(): Promise<SecretSummary[]> {
    const now = this.#now();
    const summaries = (await this.#secrets.all()).map((secret) => summaryOf(secret, now));
    return summaries.toSorted((left, right) => left.name.localeCompare(right.name));
  }

  async lease(name: string, request: LeaseRequest): Promise<LeaseSummary> {
    requireName(name);
    const entry = { action: "lease", secret: name, ...request.holder } as const;
    return this.#recorder.around(
      entry,
      async () => leaseSummary(await this.#leases.issue(await this.#secrets.get(name), request)),
      ({ id }) => ({ lease: id }),
    );
  }

  /** A lease and the value in one, for who will hold the value itself. Revoking the lease cannot take it back. */
  async value(
    name: string,
    request: LeaseRequest & { purpose: string },
  ): Promise<{ lease: LeaseSummary; value: Buffer; secret: SecretSummary }> {
    requireName(name);
    const { holder, purpose } = request;
    return this.#recorder.around(
      { action: "value", secret: name, ...holder, purpose },
      async () => {
        const secret = await this.#secrets.get(name);
        const lease = leaseSummary(await this.#leases.issue(secret, request));
        return { lease, value: bytesOf(secret), secret: summaryOf(secret, this.#now()) };
      },
      ({ lease }) => ({ lease: lease.id }),
    );
  }

  /** The value as it is now, if the lease is good now. */
  async redeem(id: string, use: LeaseUse & { purpose: string }): Promise<Redeemed | Refusal> {
    const judged = await this.#leases.judge(id, use);
    const entry = { action: "redeem", ...use } as const;
    if ("outcome" in judged) {
      this.#recorder.record({ ...entry, lease: leaseId(id), outcome: "refused", reason: judged.reason });
      return judged;
    }
    const { lease, secret } = judged;
    this.#recorder.record({ ...entry, lease: id, secret: secret.name, who: lease.holder.who });
    const { updatedAt } = secret;
    return { outcome: "redeemed", lease: leaseSummary(lease), value: bytesOf(secret), updatedAt };
  }

  /** Makes a lease that is still good live so long from now. */
  async renew(id: string, ttlMs: number): Promise<Renewed | Refusal> {
    const renewed = await this.#leases.renew(id, ttlMs);
    if ("outcome" in renewed) {
      const { reason } = renewed;
      this.#recorder.record({ action: "renew", lease: leaseId(id), outcome: "refused", reason });
      return renewed;
    }
    const { name, holder } = renewed;
    this.#recorder.record({ action: "renew", lease: id, secret: name, ...holder });
    return { outcome: "renewed", lease: leaseSummary(renewed) };
  }

  /** Those that are good now, the oldest first. */
  async leases(): Promise<LeaseSummary[]> {
    return (await this.#leases.live()).map(leaseSummary);
  }

  /** undefined when there is no such lease. */
  async revoke(id: string): Promise<LeaseSummary | undefined> {
    this.#recorder.check();
    const revoked = await this.#leases.revoke(id);
    if (!revoked) {
      this.#recorder.record({ action: "revoke", lease: leaseId(id), outcome: "refused", reason: "unknown" });
      return undefined;
    }
    this.#recorder.record({ action: "revoke", lease: id, secret: revoked.name, ...revoked.holder });
    return leaseSummary(revoked);
  }

  /** Those that were good until now. */
  revokeAll(): Promise<LeaseSummary[]> {
    return this.#recorder.around({ action: "revoke_all" }, async () =>
      (await this.#leases.revokeAll()).map(leaseSummary),
    );
  }

  async audit(limit: number): Promise<AuditTrail> {
    return this.#log.read(limit);
  }

  async status(): Promise<VaultStatus> {
    const secrets = await this.#secrets.all();
    const liveLeases = (await this.#leases.live()).length;
    return { folder: this.folder, keyFile: this.keyFile, liveLeases, ...statusOf(secrets, this.#now()) };
  }
}

/** Something else given in place of an id may be the secret itself, and is not written down. */
function leaseId(text: string): string | null {
  return /^[0-9a-f]{20}$/.test(text) ? text : null;
}
