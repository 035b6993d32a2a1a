import { expect, it } from "vitest";
import { writtenOut } from "./written-out.ts";

it.each([
  ["pay\u202egnp.exe", "pay\\u{202e}gnp.exe"],
  ["\u001b[2Jgone\u0007", "\\u{1b}[2Jgone\\u{7}"],
  ["a\u2066b\u200f", "a\\u{2066}b\\u{200f}"],
  ["\tقائمة 漢 é\n", "\tقائمة 漢 é\n"],
])(
  "what is not seen or turns others around is written out, letters of any script stay: %j",
  (text, shown) => {
    expect(writtenOut(text)).toBe(shown);
  },
);
