import { expect, test } from "vitest";
import { pathMatcher } from "../../git/path-matcher.ts";
import { joinedFolders } from "./joined-folders.ts";

test("globs that differ in their first folder alone are one", () => {
  expect(joinedFolders(["a/**/x", "a/y", "b/**/x", "c/**/x", "b/z"])).toEqual(["{a,b,c}/**/x", "a/y", "b/z"]);
});

test.each([
  ["can be written", "folder".repeat(40), "**/x", "deep/x"],
  ["stand for something", "folder", "**/{a,b,c,d,e,f,g,h}{a,b,c,d,e,f,g,h}.{config,conf}", "deep/ab.conf"],
])("no more are joined than %s", (_, name, rest, path) => {
  const folders = Array.from({ length: 20 }, (__, at) => `${name}${at}`);
  const globs = joinedFolders(folders.map((folder) => `${folder}/${rest}`));
  expect(globs.length).toBeGreaterThan(1);
  expect(globs.length).toBeLessThan(20);
  expect(globs.every(({ length }) => length <= 1_000)).toBe(true);
  const matches = pathMatcher(globs);
  expect(folders.filter((folder) => !matches(`${folder}/${path}`))).toEqual([]);
});
