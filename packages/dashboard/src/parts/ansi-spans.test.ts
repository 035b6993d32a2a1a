import { expect, it } from "vitest";
import { ansiLines, ansiSpans, foundIn, withoutAnsi } from "./ansi-spans.ts";

it("colours become classes, and end where they end", () => {
  expect(ansiSpans("a \u001b[31mred\u001b[0m b")).toEqual([
    { text: "a ", className: "" },
    { text: "red", className: "text-failed" },
    { text: " b", className: "" },
  ]);
});

it("what moves the cursor, sets a title or makes a link is gone", () => {
  expect(
    withoutAnsi("\u001b[2J\u001b]0;owned\u0007one\u001b]8;;http://evil.test\u0007two\u001b]8;;\u0007\u0007"),
  ).toBe("onetwo");
});

it("a line that wrote over itself is what it was in the end", () => {
  expect(withoutAnsi("10%\r50%\rdone\r\nnext")).toBe("done\nnext");
});

it.each([
  ["92", "text-done"],
  ["38;5;196", "text-failed"],
  ["38;5;12", "text-running"],
  ["38;5;240", "text-faint"],
  ["38:5:208", "text-blocked"],
  ["38;2;255;0;255", "text-brand-text"],
  ["38;2;10;200;220", "text-queued"],
  ["41", "bg-failed-tint"],
  ["48;5;22", "bg-done-tint"],
  ["48;2;0;0;200;97", "text-ink bg-running-tint"],
  ["31;7", "text-failed bg-failed-tint"],
  ["38;5;196;1", "text-failed font-semibold"],
  ["38;5;196;0", ""],
  ["38;5", ""],
])("colours, near or far, are the nearest of ours: %s", (codes, className) => {
  expect(ansiSpans(`\u001b[${codes}mx`)).toEqual([{ text: "x", className }]);
});

it("a colour goes on in the lines below, until it is ended", () => {
  const lines = ansiLines("\u001b[1;31mone\ntwo\u001b[0m\nthree\n");
  expect(lines.map((line) => ansiSpans(line))).toEqual([
    [{ text: "one", className: "text-failed font-semibold" }],
    [{ text: "two", className: "text-failed font-semibold" }],
    [{ text: "three", className: "" }],
  ]);
});

it("what is searched for is marked where it stands, in whatever colours, and takes none away", () => {
  const spans = ansiSpans("an \u001b[31mErr\u001b[32mor\u001b[0m, error");
  expect(foundIn(spans, " error ")).toEqual([
    { text: "an ", className: "" },
    { text: "Err", className: "text-failed", found: true },
    { text: "or", className: "text-done", found: true },
    { text: ", ", className: "" },
    { text: "error", className: "", found: true },
  ]);
  expect(foundIn(spans, "")).toEqual(spans);
  expect(foundIn(spans, "nowhere")).toEqual(spans);
});

it("what looks like HTML stays as it was written", () => {
  expect(ansiSpans("<script>alert(1)</script>")).toEqual([
    { text: "<script>alert(1)</script>", className: "" },
  ]);
});

it("what would turn the letters of a line around is written out, and found as it is shown", () => {
  expect(ansiSpans("pay\u202e\u001b[31mgnp")).toEqual([
    { text: "pay\\u{202e}", className: "" },
    { text: "gnp", className: "text-failed" },
  ]);
  expect(withoutAnsi("pay\u202egnp")).toBe("pay\\u{202e}gnp");
});
