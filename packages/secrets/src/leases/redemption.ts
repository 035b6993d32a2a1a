import type { Lease, LeaseHolder } from "./lease.ts";

/** A lease as it is shown. */
export interface LeaseSummary {
  id: string;
  name: string;
  holder: LeaseHolder;
  createdAt: string;
  expiresAt: string;
}

export type RefusalReason = "unknown" | "expired" | "revoked" | "deleted" | "other_holder";

export interface Refusal {
  outcome: "refused";
  reason: RefusalReason;
  /** A sentence for whoever made the request. */
  message: string;
  remedy: string;
}

export interface Redeemed {
  outcome: "redeemed";
  lease: LeaseSummary;
  value: Buffer;
  /** When the value was last set: the same value is not read anew while this stays the same. */
  updatedAt: string;
}

export interface Renewed {
  outcome: "renewed";
  lease: LeaseSummary;
}

export function leaseSummary({ id, name, holder, createdAt, expiresAt }: Lease): LeaseSummary {
  return { id, name, holder, createdAt, expiresAt };
}

export function refusal(reason: RefusalReason, lease: Lease | undefined): Refusal {
  const name = lease?.name ?? "a secret";
  return { outcome: "refused", reason, message: sentences[reason](name), remedy: remedies[reason](name) };
}

const sentences: Record<RefusalReason, (name: string) => string> = {
  unknown: () => "there is no such lease",
  expired: (name) => `the lease of ${name} has expired`,
  revoked: (name) => `the lease of ${name} was revoked`,
  deleted: (name) => `${name} was deleted, and its leases with it`,
  other_holder: (name) => `the lease of ${name} belongs to another sandbox or run`,
};

const again = (name: string) => `take a new lease: opentiger secrets lease ${name}`;

const remedies: Record<RefusalReason, (name: string) => string> = {
  unknown: () => "see those there are: opentiger secrets leases",
  expired: again,
  revoked: again,
  deleted: (name) => `put it back: opentiger secrets add ${name}`,
  other_holder: again,
};
