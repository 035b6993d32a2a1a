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
    ["app/(group)/*", ["app/(group)/page.tsx"], ["app/group/page.tsx"]],
    ["app/[id]/", ["app/[id]/page.tsx", "app/i/page.tsx"], ["app/x/page.tsx"]],
    ["//src//*/", ["src/a/b", "src/a/b/c"], ["src/a", "lib/a/b"]],
    [".", ["anything/at/all"], []],
    ["./", ["anything/at/all"], []],
  ])("%s: that and nothing else", (pattern, hits, misses) => {
    const matches = pathMatcher([pattern]);
    expect(hits.filter((path) => !matches(path))).toEqual([]);
    expect(misses.filter((path) => matches(path))).toEqual([]);
  });

  test("none at all where there is none", () => {
    expect(pathMatcher([])("a")).toBe(false);
  });
});

describe("a pattern of those that are always there or detected is", () => {
  test.each([
    ["**/.gitattributes", [".gitattributes", "a/b/.gitattributes"], ["x.gitattributes", ".gitattributes/a"]],
    ["**/.yarn/**", [".yarn", ".yarn/releases/x.cjs", "a/.yarn/b"], [".yarnrc", "a.yarn/b"]],
    ["**/.cargo/config*", [".cargo/config", "a/.cargo/config.toml"], [".cargo/x", ".cargo/config/a"]],
    [
      "**/{T,t}askfile{,.dist}.{yml,yaml}",
      ["Taskfile.yml", "a/taskfile.dist.yaml"],
      ["Taskfile", "askfile.yml"],
    ],
    ["**/vendor/**/package.json", ["vendor/package.json", "a/vendor/b/c/package.json"], ["package.json"]],
    [
      "**/{vitest,vite}.{config,workspace}.*",
      ["vite.config.ts", "a/vitest.workspace.js"],
      ["vite.config", "vite.ts"],
    ],
    ["**/.{mocharc,nycrc}*", [".mocharc", "a/.nycrc.json"], ["mocharc", ".mocha"]],
    [
      "**/{requirements,constraints}*.{txt,in}",
      ["requirements.txt", "a/constraints-dev.in"],
      ["requirements/a.txt"],
    ],
    ["**/*{.,_,-}{test,spec}.*", ["a.test.ts", "b/a_spec.rb", "a-test.x"], ["atest.ts", "a.test"]],
    ["**/test_*.*", ["test_a.py", "b/test_.c"], ["test_a", "btest_a.py"]],
    [
      "rust-toolchain{,.toml}",
      ["rust-toolchain", "rust-toolchain.toml"],
      ["a/rust-toolchain", "rust-toolchain.x"],
    ],
    [
      "{pytest,tomli}{.*,/__init__.*}",
      ["pytest.py", "tomli/__init__.py"],
      ["pytest/a.py", "a/pytest.py", "pytest"],
    ],
    ["**/*.{dist-info,egg-info}/**", ["a.dist-info/METADATA", "b/a.egg-info"], ["dist-info/a"]],
    ["**/tsconfig*.json", ["tsconfig.json", "a/tsconfig.base.json"], ["tsconfig/a.json"]],
    [
      "web/**/package.json",
      ["web/package.json", "web/a/b/package.json"],
      ["package.json", "webs/package.json"],
    ],
  ])("%s: that and nothing else", (pattern, hits, misses) => {
    const matches = pathMatcher([pattern]);
    expect(hits.filter((path) => !matches(path))).toEqual([]);
    expect(misses.filter((path) => matches(path))).toEqual([]);
  });
});

test("a pattern whose braces stand for too much is found by its name alone", () => {
  const name = `src/${"{a,b}".repeat(30)}`;
  const matches = pathMatcher([name]);
  expect(matches(`${name}/a.ts`)).toBe(true);
  expect(matches(`src/${"a".repeat(30)}`)).toBe(false);
});

test("what has no path is in none, not even in all of them", () => {
  expect(["**", "*", "", "."].filter((pattern) => pathMatcher([pattern])(""))).toEqual([]);
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
