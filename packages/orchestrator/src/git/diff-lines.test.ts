import { expect, it } from "vitest";
import { linesOfDiff } from "./diff-lines.ts";

it("knows the lines that a patch shows, as the file has them afterwards", () => {
  const patch = [
    "diff --git a/list.js b/list.js",
    "--- a/list.js",
    "+++ b/list.js",
    "@@ -3,3 +3,4 @@ function list() {",
    " three",
    "-four",
    "+new four",
    "+new five",
    " six",
    "@@ -20 +21 @@",
    "-+++ b/fake.js",
    "+++ b/fake.js",
    "\\ No newline at end of file",
    "diff --git a/gone.js b/gone.js",
    "--- a/gone.js",
    "+++ /dev/null",
    "@@ -1 +0,0 @@",
    "-gone",
    "",
  ].join("\n");
  expect(linesOfDiff(patch)).toEqual(new Map([["list.js", new Set([3, 4, 5, 6, 21])]]));
});

it("knows nothing of an empty one", () => {
  expect(linesOfDiff("")).toEqual(new Map());
});
