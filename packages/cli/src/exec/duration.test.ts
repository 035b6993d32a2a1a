import { expect, test } from "vitest";
import { parseDuration } from "./duration.ts";

test.each([
  ["90", 90_000],
  ["1.5m", 90_000],
  ["500ms", 500],
  ["2h", 7_200_000],
])("%s is %d ms", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each(["", "0", "-1", "1d", "1 s", "1e3", "9999999999999999h"])("%j is refused", (text) => {
  expect(() => parseDuration(text)).toThrow(/not a duration/);
});
