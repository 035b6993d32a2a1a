import { appendFileSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { boundLog, logSince, logSize } from "./log-file.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ot-log-"));
  path = join(folder, "log");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("a log that grew too long is begun anew in place: who has it open goes on writing to it", () => {
  const writer = openSync(path, "a");
  writeSync(writer, "x".repeat(200));
  boundLog(path, 100);
  writeSync(writer, "later");
  closeSync(writer);
  expect(readFileSync(path, "utf8")).toBe("later");
  expect(readFileSync(`${path}.1`, "utf8")).toBe("x".repeat(200));
});

it("a short one stays as it is, and one that is not there is no error", () => {
  boundLog(path, 100);
  appendFileSync(path, "short");
  boundLog(path, 100);
  expect(readFileSync(path, "utf8")).toBe("short");
});

it("what was said since is what came after, at most its end, also where the log was begun anew", () => {
  appendFileSync(path, "before\n");
  const start = logSize(path);
  appendFileSync(path, "after\n");
  expect(logSince(path, start)).toBe("after");
  expect(logSince(path, 1_000)).toBe("before\nafter");
  appendFileSync(path, "y".repeat(10_000));
  expect(logSince(path, start)).toHaveLength(4_096);
  expect(logSince(join(folder, "none"), 0)).toBe("");
});
