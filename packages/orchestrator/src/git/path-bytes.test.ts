import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOf, isOddName, pathOf } from "./path-bytes.ts";
import { shownPath } from "./shown-path.ts";

test("every name of a file comes back as it was, byte for byte", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      expect(bytesOf(pathOf(Buffer.from(bytes)))).toEqual(Buffer.from(bytes));
    }),
    { numRuns: 500 },
  );
});

test("names in UTF-8 are what they say, whatever characters they have", () => {
  for (const name of ["a", "grüße/日本.txt", "😀", 'a "b"\n', "\uFFFD"]) {
    expect([pathOf(Buffer.from(name)), isOddName(name)]).toEqual([name, false]);
  }
  expect(isOddName(pathOf(Buffer.from([0x67, 0x72, 0xfc, 0xdf, 0x65])))).toBe(true);
});

test("a name is shown without anything that moves a cursor or cannot be stored", () => {
  expect(shownPath("src/grün.ts")).toBe("src/grün.ts");
  expect(shownPath("a\nb\u001b[2J")).toBe("a\\x0ab\\x1b[2J");
  expect(shownPath(pathOf(Buffer.from([0x67, 0xfc])))).toBe("gü");
  expect(shownPath("\u202eevil")).toBe("\\xe2\\x80\\xaeevil");
});
