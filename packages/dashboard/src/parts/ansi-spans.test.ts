import { expect, it } from "vitest";
import { ansiSpans, withoutAnsi } from "./ansi-spans.ts";

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

it("bright colours are the same, and others of which we know only the length are passed over", () => {
  expect(ansiSpans("\u001b[92mok\u001b[38;5;196mx")).toEqual([
    { text: "ok", className: "text-done" },
    { text: "x", className: "text-done" },
  ]);
});

it("what looks like HTML stays as it was written", () => {
  expect(ansiSpans("<script>alert(1)</script>")).toEqual([
    { text: "<script>alert(1)</script>", className: "" },
  ]);
});
