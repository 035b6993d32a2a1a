import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pathsOverlap } from "../state/overlap.ts";
import { pathMatcher } from "./path-matcher.ts";

describe("a pattern is", () => {
  test.each([
    ["src", ["src", "src/a.ts", "src/b/c.ts"], ["srcs", "lib/src", "a/src/b"]],
    ["./src/", ["src/a.ts"], ["srcs"]],
    ["package.json", ["package.json"], ["packages/a/package.json"]],
    ["src/*", ["src/a.ts", "src/.hidden"], ["src/b/c.ts"]],
    ["src/**", ["src/a.ts", "src/b/c.ts", "src/b/.c"], ["lib/a.ts"]],
    ["**/*.test.ts", ["a.test.ts", "src/b/c.test.ts", ".x/y.test.ts"], ["a.ts"]],
    ["{a,b}/**", ["a/x", "b/y/z"], ["c/x"]],
    ["app/[id]/page.tsx", ["app/[id]/page.tsx", "app/i/page.tsx"], ["app/x/page.tsx"]],
    ["app/(group)", ["app/(group)/page.tsx"], ["app/other/page.tsx"]],
    [".github/", [".github/workflows/ci.yml"], ["github/x"]],
    [".", ["anything/at/all"], []],
  ])("%s: that and nothing else", (pattern, hits, misses) => {
    const matches = pathMatcher([pattern]);
    expect(hits.filter((path) => !matches(path))).toEqual([]);
    expect(misses.filter((path) => matches(path))).toEqual([]);
  });

  test("none at all where there is none", () => {
    expect(pathMatcher([])("a")).toBe(false);
  });
});

test("two tasks whose patterns have a path in common are seen to overlap", () => {
  const part = fc.constantFrom("a", "b", "*", "**", "[ab]", "{a,b}", "a*", "!a", ".", "..");
  const pattern = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
  const path = fc
    .array(fc.constantFrom("a", "b", "ab"), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join("/"));
  fc.assert(
    fc.property(pattern, pattern, path, (one, other, common) => {
      const inBoth = pathMatcher([one])(common) && pathMatcher([other])(common);
      expect(inBoth && !pathsOverlap([one], [other])).toBe(false);
    }),
    { numRuns: 3000 },
  );
});
