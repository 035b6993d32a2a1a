import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pathsOverlap } from "./overlap.ts";

describe("two areas", () => {
  it.each([
    [["src/a.ts"], ["src/a.ts"]],
    [["src"], ["src/a.ts"]],
    [["src/"], ["./src/a/b.ts"]],
    [["src/**"], ["src/a.ts"]],
    [["src/*.ts"], ["src/a*"]],
    [["**/*.md"], ["docs/x.md"]],
    [
      ["docs", "src/a*"],
      ["test", "src/ab"],
    ],
    [["src/../docs"], ["docs"]],
    [["!src/**"], ["docs"]],
    [["src/@(a|b)"], ["src/a"]],
    [[], ["src"]],
    [[], []],
    [["/"], ["src"]],
  ])("%j and %j may meet", (one, other) => {
    expect(pathsOverlap(one, other)).toBe(true);
    expect(pathsOverlap(other, one)).toBe(true);
  });

  it.each([
    [["src/a.ts"], ["src/b.ts"]],
    [["src/a"], ["src/ab"]],
    [["src"], ["src-old/**"]],
    [["src/a/**"], ["src/b/**"]],
    [
      ["packages/one/**/*.ts", "docs/one.md"],
      ["packages/two/**", "docs/two.md"],
    ],
  ])("%j and %j do not", (one, other) => {
    expect(pathsOverlap(one, other)).toBe(false);
    expect(pathsOverlap(other, one)).toBe(false);
  });
});

it("no path that both allow is ever missed", () => {
  const part = fc.constantFrom("a", "b", "ab", "*", "**", "?", "a*", "*b", "{a,b}", "[ab]");
  const pattern = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
  const area = fc.array(pattern, { minLength: 1, maxLength: 2 });
  fc.assert(
    fc.property(area, area, (one, other) => {
      const shared = allPaths.find((path) => allowed(one, path) && allowed(other, path));
      if (shared !== undefined) expect(pathsOverlap(one, other)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

it("of plain paths it is known exactly", () => {
  const path = fc.array(fc.constantFrom("a", "b", "ab"), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(path, path, (one, other) => {
      const inside = one.every((part, index) => other[index] === part);
      const around = other.every((part, index) => one[index] === part);
      expect(pathsOverlap([one.join("/")], [other.join("/")])).toBe(inside || around);
    }),
  );
});

/** Every path of up to four parts, of names that the patterns can tell apart. */
const allPaths: readonly string[] = [1, 2, 3, 4].flatMap(pathsOfDepth);

function pathsOfDepth(depth: number): string[] {
  const names = ["a", "b", "ab", "c"];
  if (depth === 1) return names;
  return pathsOfDepth(depth - 1).flatMap((path) => names.map((name) => `${path}/${name}`));
}

/** The reference: a pattern allows what it matches, and all that is in a folder that it matches. */
function allowed(area: readonly string[], path: string): boolean {
  return area.some((pattern) => regexOf(pattern).test(path));
}

const compiled = new Map<string, RegExp>();

function regexOf(pattern: string): RegExp {
  const known = compiled.get(pattern);
  if (known) return known;
  const source = pattern
    .replaceAll("?", "[^/]")
    .replaceAll("{a,b}", "(?:a|b)")
    .replaceAll("**", "\0")
    .replaceAll("*", "[^/]*")
    .replaceAll("\0/", "(?:.*/)?")
    .replaceAll("\0", ".*");
  const regex = new RegExp(`^${source}(?:/.*)?$`);
  compiled.set(pattern, regex);
  return regex;
}
