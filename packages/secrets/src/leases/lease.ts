import { z } from "zod";
import { VaultError } from "../errors.ts";

const shortText = z.string().min(1).max(128);

/** For whom a lease is. One with a sandbox or a run is good for that one alone. */
export const leaseHolder = z.object({
  who: shortText,
  sandbox: shortText.nullable().default(null),
  run: shortText.nullable().default(null),
});
export type LeaseHolder = z.infer<typeof leaseHolder>;

export const lease = z.object({
  id: z.string(),
  /** The secret as it was added, not merely its name: one that was deleted and added again is another. */
  secretId: z.string(),
  name: z.string(),
  holder: leaseHolder,
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  /** Ended before its time. */
  ended: z.object({ at: z.iso.datetime(), why: z.enum(["revoked", "deleted"]) }).nullable(),
});
export type Lease = z.infer<typeof lease>;

export const leaseBook = z.object({ version: z.literal(1), leases: z.array(lease) });
export type LeaseBook = z.infer<typeof leaseBook>;

const dayMs = 86_400_000;

export const leaseLimits = {
  /** More sandboxes at once than any machine runs. */
  perSecret: 256,
  overall: 1024,
  maxTtlMs: 30 * dayMs,
  /** So long the reason of a refusal is known; afterwards the lease is simply unknown. */
  rememberMs: dayMs,
  remembered: 256,
} as const;

export function requireTtl(ttlMs: number): void {
  if (ttlMs > 0 && ttlMs <= leaseLimits.maxTtlMs) return;
  throw new VaultError("usage", "a lease lives for more than nothing and at most 30 days", {
    remedy: "choose a shorter one, for example --ttl 1h",
  });
}
