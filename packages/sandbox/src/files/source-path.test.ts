import { describe, expect, test } from "vitest";
import { sourcePath } from "./source-path.ts";

describe("source paths", () => {
  test.each([
    ["/a/b", { path: "/a/b", parent: "/a", name: "b", contents: false, isFolder: false }],
    ["b", { path: "b", parent: ".", name: "b", contents: false, isFolder: false }],
    ["/a/b/", { path: "/a/b", parent: "/a", name: "b", contents: false, isFolder: true }],
    ["/a/b/.", { path: "/a/b", parent: "/a", name: "b", contents: true, isFolder: true }],
    ["/", { path: "/", parent: "/", name: "", contents: true, isFolder: true }],
    [".", { path: ".", parent: ".", name: ".", contents: true, isFolder: true }],
    ["a/..", { path: "a/..", parent: "a", name: "..", contents: true, isFolder: true }],
    ["a/../b", { path: "a/../b", parent: "a/..", name: "b", contents: false, isFolder: false }],
    ["a.", { path: "a.", parent: ".", name: "a.", contents: false, isFolder: false }],
  ])("%j", (from, expected) => {
    expect(sourcePath(from)).toEqual(expected);
  });

  test.each(["", "a\0b"])("%j is no path", (from) => {
    expect(() => sourcePath(from)).toThrowError(expect.objectContaining({ code: "usage" }));
  });
});
