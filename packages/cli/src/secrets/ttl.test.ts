import { expect, test } from "vitest";
import { parseTtl } from "./ttl.ts";

test.each([
  ["90", 90_000],
  ["15m", 900_000],
  ["1h", 3_600_000],
  ["7d", 604_800_000],
])("%s is %d ms", (text, ms) => {
  expect(parseTtl(text)).toBe(ms);
});

test.each(["", "0", "0d", "1.5d", "-1d", "1w", "99999d"])("%j is refused", (text) => {
  expect(() => parseTtl(text)).toThrow(/not a duration/);
});
