import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { secretLimits } from "./secrets/secret.ts";
import { type TemporaryVault, temporaryVault } from "./temporary-vault.ts";

const hour = 3_600_000;
const day = 24 * hour;
const holder = { who: "tester" };

let place: TemporaryVault;

beforeEach(() => {
  place = temporaryVault();
});

afterEach(() => place.remove());

async function heldIn(name: string): Promise<Buffer> {
  return (await place.opened().value(name, { ttlMs: hour, holder, purpose: "test" })).value;
}

describe("a secret", () => {
  it("comes back as it was, whatever its bytes", async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 3000 }), async (bytes) => {
        number += 1;
        await place.vault.add(`s${number}`, bytes);
        expect(Buffer.compare(await heldIn(`s${number}`), bytes)).toBe(0);
      }),
      {
        numRuns: 60,
        examples: [[new Uint8Array([0])], [Buffer.from("two\nlines\n")], [Buffer.from([0xff, 0xfe, 0x0a])]],
      },
    );
  });

  it("of the largest size is kept, and one byte more is refused", async () => {
    const largest = Buffer.alloc(secretLimits.bytes, 0xa5);
    await place.vault.add("large", largest);
    expect(Buffer.compare(await heldIn("large"), largest)).toBe(0);
    await expect(place.vault.add("larger", Buffer.alloc(secretLimits.bytes + 1))).rejects.toMatchObject({
      code: "secret_refused",
    });
  });

  it("is not added over another, not updated before it is there, and never empty", async () => {
    await expect(place.vault.update("one", Buffer.from("1"))).rejects.toMatchObject({
      code: "secret_not_found",
    });
    await place.vault.add("one", Buffer.from("1"));
    await expect(place.vault.add("one", Buffer.from("2"))).rejects.toMatchObject({ code: "secret_exists" });
    await expect(place.vault.update("one", Buffer.alloc(0))).rejects.toMatchObject({
      code: "secret_refused",
    });
    expect((await heldIn("one")).toString()).toBe("1");
    await place.vault.update("one", Buffer.from("2"));
    expect((await heldIn("one")).toString()).toBe("2");
    await place.vault.delete("one");
    await expect(heldIn("one")).rejects.toMatchObject({ code: "secret_not_found" });
  });

  it("is listed with all but its value", async () => {
    await place.vault.add("zeta", Buffer.from("value of zeta"), {
      expiresAt: new Date("2026-06-01T00:00:00Z"),
    });
    place.pass(day);
    await place.vault.add("github_token", Buffer.from("ghp_x"));
    place.pass(hour);
    expect(await place.opened().list()).toEqual([
      {
        name: "github_token",
        kind: "token",
        size: 5,
        createdAt: "2026-01-02T00:00:00.000Z",
        updatedAt: "2026-01-02T00:00:00.000Z",
        ageSeconds: 3600,
        expiresAt: null,
        state: "ok",
      },
      {
        name: "zeta",
        kind: "other",
        size: 13,
        createdAt: "2026-01-01T00:00:00.000Z",
        updatedAt: "2026-01-01T00:00:00.000Z",
        ageSeconds: 86_400 + 3600,
        expiresAt: "2026-06-01T00:00:00.000Z",
        state: "ok",
      },
    ]);
  });

  it.each(["", "A", "sk-ant-oat01-Abc", "1a", "../x", "a b", "a\n", "x".repeat(65), "a/b", "ü"])(
    "is not called %j, and the message does not repeat it",
    async (name) => {
      const error = await place.vault.add(name, Buffer.from("v")).then(
        () => undefined,
        (thrown: Error) => thrown,
      );
      expect(error).toMatchObject({ code: "name_invalid" });
      if (name.length > 3) expect(JSON.stringify(error)).not.toContain(name);
    },
  );

  it("takes room that is bounded", async () => {
    const mebibyte = Buffer.alloc(secretLimits.bytes);
    for (let number = 0; number < secretLimits.totalBytes / secretLimits.bytes; number += 1)
      await place.vault.add(`s${number}`, mebibyte);
    await expect(place.vault.add("more", Buffer.from("x"))).rejects.toMatchObject({ code: "secret_refused" });
    await place.vault.delete("s0");
    await place.vault.add("more", Buffer.from("x"));
  });
});

describe("well-known secrets", () => {
  it("lose the line end that a pipe put behind a token", async () => {
    await place.vault.add("claude_setup_token", Buffer.from("sk-ant-oat01-x\r\n"));
    expect((await heldIn("claude_setup_token")).toString()).toBe("sk-ant-oat01-x");
  });

  it.each([
    ["anthropic_api_key", "sk-ant x"],
    ["openai_api_key", "sk\r\nx-injected: header"],
    ["github_token", "\u00fc"],
    ["claude_setup_token", "\n"],
    ["codex_auth_json", "{"],
    ["codex_auth_json", '{"tokens":null}'],
  ])("%s cannot be %j", async (name, value) => {
    await expect(place.vault.add(name, Buffer.from(value))).rejects.toMatchObject({ code: "secret_refused" });
  });

  it("codex_auth_json is kept byte for byte", async () => {
    const file = `{\n  "OPENAI_API_KEY": null,\n  "tokens": {"access_token": "a.b.c"}\n}\n`;
    await place.vault.add("codex_auth_json", Buffer.from(file));
    expect((await heldIn("codex_auth_json")).toString()).toBe(file);
  });
});

describe("on the disk", () => {
  const canary = "CANARY-7f3a9c";

  it("a value is nowhere in clear: not in the data, the leases or the audit", async () => {
    const { vault } = place;
    await vault.add("one", Buffer.from(canary));
    const { id } = await vault.lease("one", { ttlMs: hour, holder: { who: "w", sandbox: "box" } });
    await vault.redeem(id, { sandbox: "box", purpose: "model request" });
    await vault.update("one", Buffer.from(`${canary}-new`));
    await heldIn("one");
    await vault.add(canary, Buffer.from("x")).catch(() => {});
    await vault.redeem(canary, { purpose: "x" });
    await vault.revoke(canary);
    await vault.delete("one");
    const bytes = place.everything();
    expect(bytes.length).toBeGreaterThan(1000);
    for (const form of [canary, Buffer.from(canary).toString("base64").slice(0, 16)])
      expect(bytes.includes(form)).toBe(false);
  });

  it("only its owner can look at anything", async () => {
    await place.vault.add("one", Buffer.from("1"));
    await place.vault.lease("one", { ttlMs: hour, holder });
    for (const part of ["values", "leases", "audit"] as const) {
      const { folder, files } = place.part(part);
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      expect(files).toHaveLength(1);
      for (const file of files) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    }
    expect(statSync(place.keyFile).mode & 0o777).toBe(0o600);
    expect(readFileSync(place.keyFile, "utf8")).toMatch(/^AGE-SECRET-KEY-1/m);
  });

  it("looking makes nothing", async () => {
    expect(await place.vault.list()).toEqual([]);
    expect(await place.vault.leases()).toEqual([]);
    expect((await place.vault.status()).liveLeases).toBe(0);
    expect((await place.vault.audit(10)).events).toEqual([]);
    expect(() => statSync(place.stateFolder)).toThrow(/ENOENT/);
    expect(() => statSync(place.keyFile)).toThrow(/ENOENT/);
  });
});
