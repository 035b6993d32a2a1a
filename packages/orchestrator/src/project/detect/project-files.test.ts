import { expect, test } from "vitest";
import { ProjectFiles } from "./project-files.ts";

const files = new ProjectFiles(
  [
    "package.json",
    "packages/a/package.json",
    "packages/b/c/package.json",
    "packages/.d/package.json",
    "a.py",
  ],
  async () => undefined,
);

test.each([
  ["one level", ["packages/*/package.json"], ["packages/a/package.json", "packages/.d/package.json"]],
  ["any level", ["packages/**/package.json"], [...files.names].slice(1, 4)],
  ["either of two", ["*.py", "packages/b/*/*"], ["packages/b/c/package.json", "a.py"]],
  ["a folder, which is no file", ["packages/a"], []],
  ["nothing", [], []],
])("files are found by %s", (_, globs, found) => {
  expect(files.matching(...globs)).toEqual(found);
});
