import { expect, test } from "vitest";
import { parseSize } from "./size.ts";

test.each([
  ["1024", 1024],
  ["512m", 512 * 1024 ** 2],
  ["1.5GiB", 1.5 * 1024 ** 3],
  ["2GB", 2 * 1024 ** 3],
  ["10b", 10],
])("%s is %d bytes", (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
});

test.each(["", "0", "-1g", "lots", "1x", "1 g"])("%j is refused", (text) => {
  expect(() => parseSize(text)).toThrow(/not a size/);
});
