import { expect, test } from "vitest";
import { parseSize } from "./size.ts";

test("a size of a command line is read as everywhere", () => {
  expect(parseSize("1.5GiB")).toBe(1.5 * 1024 ** 3);
});

test.each(["", "0", "lots"])("%j is refused", (text) => {
  expect(() => parseSize(text)).toThrow(/not a size/);
});
