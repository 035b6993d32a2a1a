import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TemporaryVault, temporaryVault } from "../temporary-vault.ts";
import { leaseLimits } from "./lease.ts";

const hour = 3_600_000;
const use = { purpose: "model request" };

let place: TemporaryVault;

beforeEach(async () => {
  place = temporaryVault();
  await place.vault.add("one", Buffer.from("value"));
});

afterEach(() => place.remove());

function lease(holder: { who?: string; sandbox?: string; run?: string } = {}, ttlMs = hour) {
  return place.vault.lease("one", { ttlMs, holder: { who: "tester", ...holder } });
}

/** By another opening of the vault, which has read everything before: what it knows must not deceive it. */
async function otherProcess() {
  const other = place.opened();
  await other.status();
  return other;
}

describe("a lease", () => {
  it("gives the value until it expires, and the next use fails", async () => {
    const { id, name, expiresAt } = await lease();
    expect({ name, expiresAt }).toEqual({ name: "one", expiresAt: "2026-01-01T01:00:00.000Z" });
    const other = await otherProcess();
    expect(await other.redeem(id, use)).toMatchObject({ outcome: "redeemed", value: Buffer.from("value") });
    place.pass(hour - 1);
    expect(await other.redeem(id, use)).toMatchObject({ outcome: "redeemed" });
    place.pass(1);
    expect(await other.redeem(id, use)).toMatchObject({ outcome: "refused", reason: "expired" });
  });

  it("that another process revoked is refused at once", async () => {
    const { id } = await lease();
    const other = await otherProcess();
    expect(await other.redeem(id, use)).toMatchObject({ outcome: "redeemed" });
    expect(await place.vault.revoke(id)).toMatchObject({ id });
    expect(await other.redeem(id, use)).toMatchObject({ outcome: "refused", reason: "revoked" });
    expect(await other.renew(id, hour)).toMatchObject({ outcome: "refused", reason: "revoked" });
  });

  it("gives the new value after an update by another process", async () => {
    const { id } = await lease();
    const other = await otherProcess();
    await other.redeem(id, use);
    await place.vault.update("one", Buffer.from("newer"));
    expect(await other.redeem(id, use)).toMatchObject({ value: Buffer.from("newer") });
  });

  it("dies with its secret, also when one of the same name is added again", async () => {
    const { id } = await lease();
    const other = await otherProcess();
    await place.vault.delete("one");
    expect(await other.redeem(id, use)).toMatchObject({ outcome: "refused", reason: "deleted" });
    await place.vault.add("one", Buffer.from("another"));
    expect(await other.redeem(id, use)).toMatchObject({ outcome: "refused", reason: "deleted" });
    expect(await other.renew(id, hour)).toMatchObject({ outcome: "refused", reason: "deleted" });
    expect(await other.leases()).toEqual([]);
  });

  it("of one sandbox or run is refused to another, as a fork of that sandbox would be", async () => {
    const { id } = await lease({ sandbox: "box", run: "r1" });
    const redeem = (sandbox?: string, run?: string) => place.vault.redeem(id, { ...use, sandbox, run });
    expect(await redeem("box", "r1")).toMatchObject({ outcome: "redeemed" });
    for (const [sandbox, run] of [["fork", "r1"], ["box", "r2"], ["box"], []])
      expect(await redeem(sandbox, run)).toMatchObject({ outcome: "refused", reason: "other_holder" });
  });

  it("that was never given is unknown", async () => {
    expect(await place.vault.redeem("0".repeat(20), use)).toMatchObject({ reason: "unknown" });
    expect(await place.vault.renew("0".repeat(20), hour)).toMatchObject({ reason: "unknown" });
    expect(await place.vault.revoke("0".repeat(20))).toBeUndefined();
    await expect(place.vault.lease("two", { ttlMs: 1, holder: { who: "x" } })).rejects.toMatchObject({
      code: "secret_not_found",
    });
  });

  it("is renewed from now on, and no longer once it has expired", async () => {
    const { id } = await lease();
    place.pass(hour / 2);
    expect(await place.vault.renew(id, hour)).toMatchObject({
      outcome: "renewed",
      lease: { expiresAt: "2026-01-01T01:30:00.000Z" },
    });
    place.pass(hour);
    expect(await place.vault.renew(id, hour)).toMatchObject({ outcome: "refused", reason: "expired" });
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, leaseLimits.maxTtlMs + 1])(
    "does not live for %d ms",
    async (ttlMs) => {
      await expect(lease({}, ttlMs)).rejects.toMatchObject({ code: "usage" });
      const { id } = await lease({}, leaseLimits.maxTtlMs);
      await expect(place.vault.renew(id, ttlMs)).rejects.toMatchObject({ code: "usage" });
    },
  );
});

describe("all leases", () => {
  it("are listed while they are good, and revoked at once", async () => {
    const first = await lease({ sandbox: "a" });
    place.pass(1);
    const second = await lease({ run: "r" }, 2 * hour);
    expect((await place.vault.leases()).map(({ id }) => id)).toEqual([first.id, second.id]);
    place.pass(hour);
    expect(await place.vault.leases()).toEqual([second]);
    expect(await (await otherProcess()).revokeAll()).toEqual([second]);
    expect(await place.vault.leases()).toEqual([]);
  });

  it("are bounded, and pruned by every write", async () => {
    const { id } = await lease();
    const { folder } = place.part("leases");
    const [first] = book().leases;
    const leases = Array.from({ length: leaseLimits.perSecret }, (_, index) => ({
      ...first,
      id: `l${index}`,
    }));
    writeFileSync(join(folder, "0000000009.json"), JSON.stringify({ version: 1, leases }), { mode: 0o600 });
    await expect(lease()).rejects.toMatchObject({ code: "lease_limit" });
    await place.vault.add("two", Buffer.from("2"));
    await place.vault.lease("two", { ttlMs: hour, holder: { who: "x" } });
    place.pass(hour);
    await lease();
    expect(await place.vault.redeem("l1", use)).toMatchObject({ reason: "expired" });
    expect(await place.vault.redeem(id, use)).toMatchObject({ reason: "unknown" });
    place.pass(leaseLimits.rememberMs);
    await lease();
    expect(book().leases.map(({ name }) => name)).toEqual(["one", "one"]);
  });

  it("that cannot be read are an error, and revoking all of them mends it", async () => {
    const { id } = await lease();
    const { folder, files } = place.part("leases");
    writeFileSync(join(folder, files[0] ?? ""), "{");
    await expect(place.vault.redeem(id, use)).rejects.toMatchObject({ code: "vault_unreadable" });
    await expect(lease()).rejects.toMatchObject({ code: "vault_unreadable" });
    await place.vault.revokeAll();
    expect(await place.vault.redeem(id, use)).toMatchObject({ reason: "unknown" });
    await lease();
  });

  it("can be revoked although the secrets cannot be read", async () => {
    const { id } = await lease();
    const { folder, files } = place.part("values");
    writeFileSync(join(folder, files[0] ?? ""), "damaged");
    expect(await place.vault.revoke(id)).toMatchObject({ id });
    expect(book().leases[0]).toMatchObject({ id, ended: { why: "revoked" } });
  });
});

function book(): { leases: { id: string; secretId: string; name: string }[] } {
  const { folder, files } = place.part("leases");
  return JSON.parse(readFileSync(join(folder, files.at(-1) ?? ""), "utf8"));
}
