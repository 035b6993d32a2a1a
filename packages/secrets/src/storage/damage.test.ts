import {
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TemporaryVault, temporaryVault } from "../temporary-vault.ts";
import { openVault } from "../vault.ts";

const isRoot = process.getuid?.() === 0;

let place: TemporaryVault;

beforeEach(async () => {
  place = temporaryVault();
  await place.vault.add("one", Buffer.from("1"));
  await place.vault.add("two", Buffer.from("2"));
});

afterEach(() => place.remove());

function newest(): string {
  const { folder, files } = place.part("values");
  return join(folder, files.at(-1) ?? "");
}

function previous(): string {
  const { folder, files } = place.part("values");
  return join(folder, files.at(-2) ?? "");
}

/** By an opening that has not seen the data before, and by one that has. */
async function refusals(): Promise<{ code: string; remedy: string; message: string }[]> {
  const attempts = [place.opened(), place.vault].flatMap((vault) => [
    vault.list(),
    vault.status(),
    vault.add("three", Buffer.from("3")),
    vault.value("one", { ttlMs: 1000, holder: { who: "x" }, purpose: "test" }),
  ]);
  return Promise.all(
    attempts.map((attempt) =>
      attempt.then(
        (answer) => ({ code: "answered", remedy: "", message: JSON.stringify(answer) }),
        (error) => error,
      ),
    ),
  );
}

describe("a damaged store", () => {
  it.each([
    ["empty", () => truncateSync(newest(), 0)],
    ["cut short", () => truncateSync(newest(), 200)],
    ["changed by one bit", () => flip(newest())],
    ["something else", () => writeFileSync(newest(), "not ours")],
  ])("that is %s is an error that names the backup, and is left as it is", async (_, damage) => {
    damage();
    const before = readFileSync(newest());
    for (const { code, remedy } of await refusals()) {
      expect(code).toBe("vault_unreadable");
      expect(remedy).toContain(previous());
    }
    expect(readFileSync(newest())).toEqual(before);
  });

  it("is mended by the command that the error names", async () => {
    flip(newest());
    const [refusal] = await refusals();
    const [, from = "", to = ""] = /mv (\S+) (\S+)$/.exec(refusal?.remedy ?? "") ?? [];
    renameSync(from, to);
    expect((await place.vault.list()).map(({ name }) => name)).toEqual(["one"]);
    await place.vault.add("two", Buffer.from("again"));
    expect((await place.opened().list()).map(({ name }) => name)).toEqual(["one", "two"]);
  });
});

describe("the key", () => {
  it("that is missing while there are secrets is an error, and no new one is made", async () => {
    rmSync(place.keyFile);
    const fresh = place.opened();
    await expect(fresh.list()).rejects.toMatchObject({ code: "vault_key_missing" });
    await expect(fresh.add("three", Buffer.from("3"))).rejects.toMatchObject({ code: "vault_key_missing" });
    await expect(place.vault.add("three", Buffer.from("3"))).rejects.toMatchObject({
      code: "vault_key_missing",
    });
    expect(() => readFileSync(place.keyFile)).toThrow(/ENOENT/);
  });

  it.each(["640", "604", "660", "666", "620"])(
    "with the mode %s is refused, with the remedy",
    async (mode) => {
      chmodSync(place.keyFile, Number.parseInt(mode, 8));
      await expect(place.opened().list()).rejects.toMatchObject({
        code: "vault_key_refused",
        remedy: `chmod 600 ${place.keyFile}`,
      });
      chmodSync(place.keyFile, 0o600);
      expect(await place.opened().list()).toHaveLength(2);
    },
  );

  it.skipIf(!isRoot)("of another user is refused, even to root", async () => {
    chownSync(place.keyFile, 12_345, 12_345);
    await expect(place.opened().list()).rejects.toMatchObject({
      code: "vault_key_refused",
      message: expect.stringContaining("12345"),
    });
  });

  it("of another vault is told apart from damage", async () => {
    const other = temporaryVault();
    try {
      await other.vault.add("x", Buffer.from("x"));
      writeFileSync(place.keyFile, readFileSync(other.keyFile));
      const error = await place
        .opened()
        .list()
        .catch((thrown) => thrown);
      expect(error).toMatchObject({ code: "vault_unreadable" });
      expect(error.message).toContain("another key");
    } finally {
      other.remove();
    }
  });

  it.each(["", "# nothing\n", "AGE-SECRET-KEY-1A\nAGE-SECRET-KEY-1B\n"])("%j is refused", async (text) => {
    writeFileSync(place.keyFile, text);
    await expect(place.opened().list()).rejects.toMatchObject({ code: "vault_key_refused" });
  });

  it("that is a folder is refused, and one through a link is read", async () => {
    const elsewhere = join(place.folder, "elsewhere.key");
    renameSync(place.keyFile, elsewhere);
    symlinkSync(elsewhere, place.keyFile);
    expect(await place.opened().list()).toHaveLength(2);
    rmSync(place.keyFile);
    mkdirSync(place.keyFile);
    await expect(place.opened().list()).rejects.toMatchObject({ code: "vault_key_refused" });
  });

  it("is made in a folder whose mode is its owner's affair", async () => {
    const shared = join(place.folder, "shared");
    mkdirSync(shared, { mode: 0o755 });
    const env = { OPENTIGER_VAULT_KEY_FILE: join(shared, "vault.key") };
    const vault = openVault({ stateFolder: join(place.folder, "other"), env, program: "test" });
    await vault.add("one", Buffer.from("1"));
    expect(statSync(vault.keyFile).mode & 0o777).toBe(0o600);
    expect(statSync(shared).mode & 0o777).toBe(0o755);
  });

  it("does not lie beside the data, nor at a relative path", () => {
    const beside = { OPENTIGER_VAULT_KEY_FILE: join(place.stateFolder, "secrets", "vault.key") };
    expect(() => openVault({ stateFolder: place.stateFolder, env: beside, program: "test" })).toThrow(
      expect.objectContaining({ code: "vault_key_refused" }),
    );
    const relative = { OPENTIGER_VAULT_KEY_FILE: "vault.key" };
    expect(() => openVault({ stateFolder: place.stateFolder, env: relative, program: "test" })).toThrow(
      expect.objectContaining({ code: "usage" }),
    );
  });

  it("is in the configuration folder unless said otherwise", () => {
    const keyFile = (env: NodeJS.ProcessEnv) =>
      openVault({ stateFolder: "/s", env, program: "test" }).keyFile;
    expect(keyFile({ HOME: "/h" })).toBe("/h/.config/opentiger/vault.key");
    expect(keyFile({ HOME: "/h", XDG_CONFIG_HOME: "/x" })).toBe("/x/opentiger/vault.key");
    expect(keyFile({ HOME: "/h", XDG_CONFIG_HOME: "relative" })).toBe("/h/.config/opentiger/vault.key");
  });
});

describe("the folder", () => {
  it("that was opened to others is closed again", async () => {
    const { folder } = place.part("values");
    for (const each of [folder, dirname(folder)]) chmodSync(each, 0o755);
    chmodSync(newest(), 0o644);
    expect(await place.opened().list()).toHaveLength(2);
    expect([folder, dirname(folder)].map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o700]);
    expect(statSync(newest()).mode & 0o777).toBe(0o600);
  });

  it("that everybody shares is refused, and left as it is", async () => {
    const shared = dirname(place.part("values").folder);
    chmodSync(shared, 0o1777);
    await expect(place.opened().list()).rejects.toMatchObject({ code: "vault_refused" });
    expect(statSync(shared).mode & 0o7777).toBe(0o1777);
  });

  it.skipIf(!isRoot).each([
    ["the vault", () => dirname(place.part("values").folder)],
    ["the values", () => place.part("values").folder],
    ["a file", newest],
  ])("of another user is refused, even to root: %s", async (_, path) => {
    chownSync(path(), 12_345, 12_345);
    const [first] = await refusals();
    expect(first?.code).toBe("vault_refused");
  });

  it("that is a link is not followed", async () => {
    const { folder } = place.part("values");
    renameSync(folder, join(place.folder, "moved"));
    symlinkSync(join(place.folder, "moved"), folder);
    await expect(place.opened().list()).rejects.toMatchObject({ code: "vault_refused" });
  });
});

function flip(path: string): void {
  const bytes = readFileSync(path);
  bytes[bytes.length - 3] = (bytes[bytes.length - 3] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}
