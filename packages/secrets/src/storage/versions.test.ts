import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { bundledModule } from "../../../../tests/setup/bundled-program.ts";
import { VersionedFile } from "./versioned-file.ts";
import { Versions } from "./versions.ts";

let top: string;
let folder: string;
let versions: Versions;
let now: number;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "ot-versions-"));
  folder = join(top, "numbers");
  now = Date.now();
  versions = new Versions(folder, ".txt", () => now);
});

afterEach(() => rmSync(top, { recursive: true, force: true }));

it("the highest number counts, and the one before is the backup", () => {
  expect(versions.latest()).toBeUndefined();
  for (const number of [1, 2, 3]) expect(versions.publish(number, Buffer.from(`${number}`))).toBe(true);
  const latest = versions.latest();
  expect(latest).toMatchObject({ number: 3, backup: join(folder, "0000000002.txt") });
  expect(latest && versions.read(latest)?.toString()).toBe("3");
});

it("older ones go, but not while somebody may just have found them", () => {
  for (const number of [1, 2, 3, 4, 5, 6]) versions.publish(number, Buffer.from("x"));
  expect(readdirSync(folder)).toHaveLength(6);
  now += 60_000;
  versions.publish(7, Buffer.from("x"));
  const kept = ["0000000004.txt", "0000000005.txt", "0000000006.txt", "0000000007.txt"];
  expect(readdirSync(folder).toSorted()).toEqual(kept);
});

it("a number is given once, also after it was pruned", () => {
  versions.publish(1, Buffer.from("first"));
  expect(versions.publish(1, Buffer.from("second"))).toBe(false);
  now += 60_000;
  for (const number of [2, 3, 4, 5, 6]) versions.publish(number, Buffer.from("x"));
  expect(readdirSync(folder)).toHaveLength(4);
  expect(versions.publish(1, Buffer.from("third"))).toBe(false);
  expect(readdirSync(folder)).toHaveLength(4);
});

it("a writer that was stopped in between does not claim to know how it ended", () => {
  const clock = vi.spyOn(performance, "now").mockReturnValueOnce(0).mockReturnValueOnce(60_000);
  try {
    expect(() => versions.publish(1, Buffer.from("x"))).toThrow(
      expect.objectContaining({ code: "vault_busy" }),
    );
  } finally {
    clock.mockRestore();
  }
});

it("what killed writers left is collected, and what is being written is not", () => {
  const left = join(folder, "0000000002.txt.1-aa.tmp");
  versions.publish(1, Buffer.from("1"));
  writeFileSync(left, "half");
  versions.publish(2, Buffer.from("2"));
  expect(readdirSync(folder)).toContain("0000000002.txt.1-aa.tmp");
  now += 3_600_000;
  versions.publish(3, Buffer.from("3"));
  expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

it("changes made at once by one process are all made, and a version is decoded once", async () => {
  let decoded = 0;
  const codec = {
    encode: async (value: number) => Buffer.from(String(value)),
    decode: async (bytes: Uint8Array) => {
      decoded += 1;
      return Number(Buffer.from(bytes).toString());
    },
  };
  const file = new VersionedFile(versions, codec, 0);
  const other = new VersionedFile(new Versions(folder, ".txt"), codec, 0);
  const increments = Array.from({ length: 20 }, (_, index) =>
    (index % 2 === 0 ? file : other).change(async (value) => ({ next: value + 1, result: value })),
  );
  const results = await Promise.all(increments);
  expect(results.toSorted((left, right) => left - right)).toEqual(
    Array.from({ length: 20 }, (_, index) => index),
  );
  expect(await file.read()).toBe(20);
  decoded = 0;
  await file.read();
  await file.read();
  expect(decoded).toBe(0);
  // Somebody writes over it in place: not what we do, but what we notice.
  writeFileSync(versions.latest()?.path ?? "", "99");
  expect(await file.read()).toBe(99);
});

it("a change that changes nothing writes nothing, and one that throws leaves the next its turn", async () => {
  const codec = {
    encode: async (value: string) => Buffer.from(value),
    decode: async (bytes: Uint8Array) => Buffer.from(bytes).toString(),
  };
  const file = new VersionedFile(versions, codec, "");
  await expect(file.change(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await file.change(async (next) => ({ next, result: "same" }))).toBe("same");
  expect(file.exists()).toBe(false);
  await file.change(async () => ({ next: "written", result: undefined }));
  expect(await file.read()).toBe("written");
});

it("of processes that publish the same number at the same time exactly one wins", async () => {
  const module = await bundledModule(new URL("./versions.ts", import.meta.url));
  const script = `import { Versions } from ${JSON.stringify(module)};
    const versions = new Versions(${JSON.stringify(folder)}, ".txt");
    process.stdout.write("ready\\n");
    await new Promise((resolve) => process.stdin.once("end", resolve).resume());
    for (let number = 1; number <= 200; number += 1)
      if (versions.publish(number, Buffer.from("x"))) process.stdout.write(number + "\\n");`;
  const words = ["--input-type=module", "--eval", script];
  const children = [1, 2, 3].map(() =>
    spawn(process.execPath, words, { stdio: ["pipe", "pipe", "inherit"] }),
  );
  await Promise.all(children.map(({ stdout }) => once(stdout, "readable")));
  for (const { stdin } of children) stdin.end();
  const said = await Promise.all(children.map(({ stdout }) => text(stdout)));
  const won = said.flatMap((lines) => lines.trim().split("\n").slice(1).map(Number));
  expect(won.toSorted((left, right) => left - right)).toEqual(
    Array.from({ length: 200 }, (_, index) => index + 1),
  );
});
