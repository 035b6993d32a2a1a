import { expect, test } from "vitest";
import { durationOf, sizeOf } from "./units.ts";

test.each([
  ["90", 90_000],
  ["1.5m", 90_000],
  ["500ms", 500],
  ["2h", 7_200_000],
  ["7d", 604_800_000],
])("%s is %d ms", (text, ms) => {
  expect(durationOf(text)).toBe(ms);
});

test.each(["", "0", "0d", "-1", "1w", "1 s", "1e3", "9999999999999999h"])("%j is no time", (text) => {
  expect(durationOf(text)).toBeUndefined();
});

test.each([
  ["1024", 1024],
  ["512m", 512 * 1024 ** 2],
  ["1.5GiB", 1.5 * 1024 ** 3],
  ["2GB", 2 * 1024 ** 3],
  ["10b", 10],
  ["1T", 1024 ** 4],
])("%s is %d bytes", (text, bytes) => {
  expect(sizeOf(text)).toBe(bytes);
});

test.each(["", "0", "-1g", "lots", "1x", "1 g", "10ib"])("%j is no size", (text) => {
  expect(sizeOf(text)).toBeUndefined();
});
