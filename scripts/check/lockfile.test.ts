import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkLockfile } from "./lockfile.mjs";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lockfile-"));
  path = join(folder, "package-lock.json");
  const packages = {
    "node_modules/tool": {
      version: "2.0.0",
      dev: true,
      optionalDependencies: {
        "@tool/linux-x64": "2.0.0",
        "@tool/linux-arm64-musl": "2.0.0",
        extra: "^1.0.0",
      },
    },
    "node_modules/@tool/linux-x64": { version: "2.0.0", optional: true },
  };
  writeFileSync(path, JSON.stringify({ lockfileVersion: 3, packages }));
});

afterEach(() => rmSync(folder, { recursive: true }));

describe("the lock file", () => {
  test("that lacks a platform's package is reported and left as it is", () => {
    const before = readFileSync(path, "utf8");
    expect(checkLockfile(path, { fix: false }).missing).toEqual(["@tool/linux-arm64-musl@2.0.0"]);
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  test("is completed so that npm installs the package only where it belongs", () => {
    checkLockfile(path, { fix: true });
    expect(JSON.parse(readFileSync(path, "utf8")).packages["node_modules/@tool/linux-arm64-musl"]).toEqual({
      version: "2.0.0",
      cpu: ["arm64"],
      libc: ["musl"],
      os: ["linux"],
      dev: true,
      optional: true,
    });
    expect(checkLockfile(path, { fix: false }).missing).toEqual([]);
  });
});
