import { VaultError } from "../errors.ts";
import { type Lease, type LeaseBook, leaseLimits } from "./lease.ts";

export type LeaseState = "live" | "expired" | "revoked" | "deleted";

export function leaseState({ expiresAt, ended }: Lease, now: Date): LeaseState {
  if (ended) return ended.why;
  return Date.parse(expiresAt) > now.getTime() ? "live" : "expired";
}

export function withLease(book: LeaseBook, added: Lease, now: Date): LeaseBook {
  const live = book.leases.filter((each) => leaseState(each, now) === "live");
  const ofSecret = live.filter(({ secretId }) => secretId === added.secretId);
  if (ofSecret.length >= leaseLimits.perSecret || live.length >= leaseLimits.overall) {
    const which = ofSecret.length >= leaseLimits.perSecret ? `of ${added.name}` : "in all";
    throw new VaultError("lease_limit", `there are too many leases ${which} that have not ended`, {
      remedy:
        "see them with `opentiger secrets leases`; end those nobody uses with `opentiger secrets revoke ID` or `--all`",
    });
  }
  return { ...book, leases: [...book.leases, added] };
}

/** Ends what is live among those chosen; the same book when there is none. */
export function withEnded(
  book: LeaseBook,
  end: { why: "revoked" | "deleted"; now: Date; chosen: (lease: Lease) => boolean },
): LeaseBook {
  const { why, now, chosen } = end;
  const ending = new Set(book.leases.filter((each) => chosen(each) && leaseState(each, now) === "live"));
  if (ending.size === 0) return book;
  const ended = { at: now.toISOString(), why };
  return { ...book, leases: book.leases.map((each) => (ending.has(each) ? { ...each, ended } : each)) };
}

/** Without the ended leases that nobody will ask about any more, so that a book never grows beyond its limits. */
export function pruned(book: LeaseBook, now: Date): LeaseBook {
  const live = book.leases.filter((each) => leaseState(each, now) === "live");
  const remembered = book.leases
    .filter((each) => leaseState(each, now) !== "live")
    .filter((each) => now.getTime() - endOf(each) < leaseLimits.rememberMs)
    .toSorted((left, right) => endOf(right) - endOf(left))
    .slice(0, leaseLimits.remembered);
  if (live.length + remembered.length === book.leases.length) return book;
  return { ...book, leases: [...live, ...remembered] };
}

function endOf({ expiresAt, ended }: Lease): number {
  return Date.parse(ended?.at ?? expiresAt);
}
