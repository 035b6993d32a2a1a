import { expect, test } from "vitest";
import { addPatch, changePatch } from "./patch.ts";

const text = "one\ntwo\nthree\nfour\nfive\nsix\n";

test("a new file is all additions; one without a last newline cannot be made so", () => {
  expect(addPatch("a/b.txt", "x\n\ny\n")).toBe(
    "*** Begin Patch\n*** Add File: a/b.txt\n+x\n+\n+y\n*** End Patch\n",
  );
  expect(addPatch("a.txt", "x")).toBeUndefined();
});

test("a change has the lines that differ, and three around them", () => {
  expect(hunk({ find: "our", replace: "iv" })).toEqual([
    " one",
    " two",
    " three",
    "-four",
    "+fiv",
    " five",
    " six",
  ]);
});

test("lines can be put in and taken out", () => {
  expect(hunk({ find: "two\n", replace: "two\nmore\n" })).toEqual([
    " one",
    " two",
    "+more",
    " three",
    " four",
    " five",
  ]);
  expect(hunk({ find: "two\n", replace: "" })).toEqual([" one", "-two", " three", " four", " five"]);
});

test("what is not there, or there twice, is not changed", () => {
  expect(changePatch({ path: "a", find: "seven", replace: "" }, text)).toBeUndefined();
  expect(changePatch({ path: "a", find: "e\n", replace: "" }, text)).toBeUndefined();
});

function hunk(change: { find: string; replace: string }): string[] {
  const lines = changePatch({ path: "a", ...change }, text)?.split("\n") ?? [];
  expect(lines.slice(0, 3)).toEqual(["*** Begin Patch", "*** Update File: a", "@@"]);
  return lines.slice(3, -2);
}
