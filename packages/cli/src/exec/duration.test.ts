import { expect, test } from "vitest";
import { parseDuration } from "./duration.ts";

test("a time of a command line is read as everywhere, days with it", () => {
  expect([parseDuration("90"), parseDuration("7d")]).toEqual([90_000, 604_800_000]);
});

test.each(["", "0", "1 s", "soon"])("%j is refused", (text) => {
  expect(() => parseDuration(text)).toThrow(/not a duration/);
});
