import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ensureRootFolder, postgresPlace, rootFolder } from "./place.ts";

const isRoot = process.getuid?.() === 0;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ot-place-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("two state folders share neither data nor socket nor password", () => {
  const one = postgresPlace({ OPENTIGER_HOME: join(folder, "one") });
  const two = postgresPlace({ OPENTIGER_HOME: join(folder, "two") });
  for (const part of ["data", "socketFolder", "passwordFile", "log", "lock"] as const) {
    expect(two[part]).not.toBe(one[part]);
  }
  expect(postgresPlace({ OPENTIGER_HOME: join(folder, "one") })).toEqual(one);
});

it.skipIf(!isRoot)(
  "root's data are where the system user can reach them, and not below the state folder",
  () => {
    const { data, socketFolder, passwordFile } = postgresPlace({ OPENTIGER_HOME: folder });
    expect(data.startsWith(`${rootFolder}/instances/`)).toBe(true);
    expect(socketFolder.startsWith(`${rootFolder}/instances/`)).toBe(true);
    expect(passwordFile.startsWith(folder)).toBe(true);
  },
);

describe.skipIf(!isRoot)("a folder of root's", () => {
  it("is entered by everybody and changed by root alone, whatever it was before", () => {
    const top = join(folder, "top");
    ensureRootFolder(join(top, "a", "b"), top);
    chmodSync(join(top, "a"), 0o777);
    chmodSync(join(top, "a", "b"), 0o700);
    ensureRootFolder(join(top, "a", "b"), top);
    for (const path of [top, join(top, "a"), join(top, "a", "b")])
      expect(statSync(path).mode & 0o777).toBe(0o755);
  });

  it("is not one that another user owns, nor a link to elsewhere", () => {
    const top = join(folder, "top");
    ensureRootFolder(join(top, "a"), top);
    chownSync(join(top, "a"), 1, 1);
    expect(() => ensureRootFolder(join(top, "a", "b"), top)).toThrow(/is not a folder of root's/);
    symlinkSync(folder, join(top, "link"));
    expect(() => ensureRootFolder(join(top, "link", "b"), top)).toThrow(/is not a folder of root's/);
  });
});
