import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { withoutServiceStart } from "./service-start.mjs";

let folder: string;
let policy: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "service-start-"));
  policy = join(folder, "policy-rc.d");
});

afterEach(() => rmSync(folder, { recursive: true }));

describe("blocking the start of services", () => {
  test("refuses every start while packages are installed, and leaves nothing behind", async () => {
    await withoutServiceStart(async () => {
      expect(() => execFileSync(policy, ["docker", "start"])).toThrow(
        expect.objectContaining({ status: 101 }),
      );
    }, policy);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("puts back the very file that stood there, also when the installation fails", async () => {
    writeFileSync(policy, "#!/bin/sh\nexit 0\n", { mode: 0o700 });
    const before = lstatSync(policy);
    const failing = withoutServiceStart(() => Promise.reject(new Error("no space left")), policy);
    await expect(failing).rejects.toThrow("no space left");
    const after = lstatSync(policy);
    expect([after.ino, after.mode, after.mtimeMs]).toEqual([before.ino, before.mode, before.mtimeMs]);
    expect(readFileSync(policy, "utf8")).toBe("#!/bin/sh\nexit 0\n");
  });

  test("puts back a link that leads nowhere", async () => {
    symlinkSync("/nowhere/policy", policy);
    await withoutServiceStart(async () => {}, policy);
    expect(readlinkSync(policy)).toBe("/nowhere/policy");
  });

  test("puts right what a killed run left", async () => {
    writeFileSync(policy, "the user's own");
    await withoutServiceStart(async () => {
      // Seen from the second call, the first was killed in the middle.
      await withoutServiceStart(async () => expect(existsSync(policy)).toBe(true), policy);
      expect(readFileSync(policy, "utf8")).toBe("the user's own");
    }, policy);
    expect(readdirSync(folder)).toEqual(["policy-rc.d"]);
  });
});
