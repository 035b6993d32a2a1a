import fc from "fast-check";
import { expect, it } from "vitest";
import { cutText, plainText } from "./text.ts";

it("colours, titles, links and cursor movements go, and what they were about stays", () => {
  expect(
    plainText(
      "\u001b[1;31mred\u001b[0m \u001b]0;a title\u0007shown \u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\",
    ),
  ).toBe("red shown link");
  expect(plainText("10%\r20%\r\ndone\u0000\u0008")).toBe("10%\n20%\ndone");
});

it("a sequence that never ends takes no more with it than its beginning", () => {
  expect(plainText("\u001b]0;no end, and then the error")).toContain("and then the error");
});

it("what is left has no control character but tab and newline, and no half of a character", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
      (text) => {
        const plain = plainText(text);
        expect(plain).not.toMatch(/[^\P{Cc}\t\n]|\p{Surrogate}/u);
        expect(Buffer.from(plain).toString()).toBe(plain);
      },
    ),
  );
});

it("a flood of escape sequences is gone in the time of reading it", () => {
  const flood = "\u001b[38;5;196m\u001b]".repeat(200_000);
  // Of the processor, which others may have meanwhile.
  const before = process.cpuUsage();
  expect(plainText(flood).length).toBeLessThan(flood.length);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(2_000);
});

it("a cut says what is missing and leaves no half of a character", () => {
  expect(cutText("abcdef", 3)).toBe("abc… [3 more characters]");
  expect(cutText("ab😀cd", 3)).toBe("ab… [4 more characters]");
  expect(cutText("abc", 3)).toBe("abc");
});
