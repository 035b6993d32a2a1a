import { describe, expect, it } from "vitest";
import { type Lease, type LeaseBook, leaseLimits } from "./lease.ts";
import { pruned, withEnded, withLease } from "./lease-rules.ts";

const start = new Date("2026-01-01T00:00:00Z");
const later = (ms: number) => new Date(start.getTime() + ms);
const hour = 3_600_000;

function lease(number: number, changed: Partial<Lease> = {}): Lease {
  return {
    id: `lease-${number}`,
    secretId: `secret-${number}`,
    name: "one",
    holder: { who: "tester", sandbox: null, run: null },
    createdAt: start.toISOString(),
    expiresAt: later(hour + number).toISOString(),
    ended: null,
    ...changed,
  };
}

function bookOf(count: number, changed: Partial<Lease> = {}): LeaseBook {
  return { version: 1, leases: Array.from({ length: count }, (_, number) => lease(number, changed)) };
}

describe("the limit", () => {
  it("of one secret is not the limit of another", () => {
    const full = bookOf(leaseLimits.perSecret, { secretId: "a" });
    expect(() => withLease(full, lease(0, { secretId: "a" }), start)).toThrow(
      expect.objectContaining({ code: "lease_limit" }),
    );
    expect(withLease(full, lease(0, { secretId: "b" }), start).leases).toHaveLength(full.leases.length + 1);
  });

  it("in all holds for any number of secrets", () => {
    const full = bookOf(leaseLimits.overall);
    expect(() => withLease(full, lease(9999), start)).toThrow(/in all/);
    const room = { ...full, leases: full.leases.slice(1) };
    expect(withLease(room, lease(9999), start).leases).toHaveLength(leaseLimits.overall);
  });

  it("does not count what has ended", () => {
    const ended = withEnded(bookOf(leaseLimits.overall), { why: "revoked", now: start, chosen: () => true });
    expect(withLease(ended, lease(9999), start).leases).toHaveLength(leaseLimits.overall + 1);
    expect(withLease(bookOf(leaseLimits.overall), lease(9999), later(2 * hour)).leases).toHaveLength(1025);
  });
});

describe("pruning", () => {
  it("keeps every live lease, and of the ended ones the latest", () => {
    const live = lease(5000, { expiresAt: later(9 * hour).toISOString() });
    const book = { version: 1 as const, leases: [...bookOf(leaseLimits.remembered + 10).leases, live] };
    const { leases } = pruned(book, later(2 * hour));
    expect(leases).toHaveLength(leaseLimits.remembered + 1);
    expect(leases).toContain(live);
    expect(leases.map(({ id }) => id)).not.toContain("lease-9");
    expect(leases.map(({ id }) => id)).toContain("lease-10");
  });

  it("forgets an ended lease after a day", () => {
    const book = withEnded(bookOf(1), { why: "deleted", now: start, chosen: () => true });
    expect(pruned(book, later(leaseLimits.rememberMs - 1)).leases).toHaveLength(1);
    expect(pruned(book, later(leaseLimits.rememberMs)).leases).toHaveLength(0);
  });

  it("and ending nothing leave the book as it is, so that nothing is written", () => {
    const book = bookOf(3);
    expect(pruned(book, start)).toBe(book);
    expect(withEnded(book, { why: "revoked", now: start, chosen: () => false })).toBe(book);
  });
});
