import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutIntoPieces, type FileDiff, pieceFiles } from "./pieces.ts";

const letters = fc.string({ unit: fc.constantFrom("a", "b", "\n", "+", "-"), maxLength: 400 });

describe("the pieces of a diff", () => {
  it("leave nothing out, whatever the sizes are", () => {
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 60 }), fc.integer({ min: 40, max: 300 }), (texts, limit) => {
        const diffs = texts.map((text, index): FileDiff => ({ path: `f${index}.ts`, text }));
        const pieces = cutIntoPieces(diffs, limit);
        const shown = pieces.map(({ text }) => text).join("");
        expect(onOneLine(shown.replaceAll(/^=== file .*\n|^\(the line goes on\) /gm, ""))).toBe(
          onOneLine(texts.join("")),
        );
        expect(new Set(pieces.flatMap(({ files }) => files)).size).toBe(diffs.length);
      }),
    );
  });

  it("are bounded in size and in files", () => {
    const large = { path: "large.ts", text: "+ a line of it\n".repeat(1_000) };
    const small = Array.from({ length: 60 }, (_, index) => ({ path: `${index}.ts`, text: "+1\n" }));
    const pieces = cutIntoPieces([large, ...small], 2_000);
    expect(Math.max(...pieces.map(({ text }) => text.length))).toBeLessThan(2_100);
    expect(Math.max(...pieces.map(({ files }) => files.length))).toBeLessThanOrEqual(pieceFiles);
    expect(pieces[1]?.text).toMatch(/^=== file "large.ts", part 2 of 8\n\+ a line of it\n/);
  });

  it("cut a line that is longer than a piece, and show all of it", () => {
    const pieces = cutIntoPieces([{ path: "one-line.js", text: `+${"x".repeat(5_000)}end` }], 1_000);
    expect(pieces.length).toBe(6);
    expect(pieces.at(-1)?.text).toContain("end");
  });

  it("show what a reader would not see", () => {
    const [piece] = cutIntoPieces([
      { path: "a\nb\u202e.ts", text: "+ok \u200b\u202e\u0000 \u{e0041} a\u034fb \u17b4 \u180b é 漢\tend\n" },
    ]);
    expect(piece?.text).toBe(
      '=== file "a\\nb\\u{202e}.ts"\n+ok \\u{200b}\\u{202e}\\u{0} \\u{e0041} a\\u{34f}b \\u{17b4} \\u{180b} é 漢\tend\n',
    );
  });

  it("show a file whose diff is empty", () => {
    expect(cutIntoPieces([{ path: "empty.ts", text: "" }])).toEqual([
      { files: ["empty.ts"], text: '=== file "empty.ts"\n\n' },
    ]);
  });
});

/** Where a file or a part ends there is a line feed more. */
function onOneLine(text: string): string {
  return text.replaceAll("\n", "");
}
