import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { globMatcher } from "./glob.ts";

const matches = (glob: string, path: string): boolean => globMatcher(glob)(path.split("/"));

describe("a glob stands for", () => {
  test.each([
    ["*", ["a", ".a", "a\nb"], ["a/b"]],
    ["a/B*", ["a/B", "a/Bc"], ["A/B", "a/b", "a/bc"]],
    ["a*b*c", ["abc", "axbxc", "abcbc"], ["ab", "acb", "a/bc"]],
    ["**", ["a", "a/b", ".a/.b"], []],
    ["**/a", ["a", "b/a", "b/.c/a"], ["ba", "a/b"]],
    ["a/**/b", ["a/b", "a/c/b", "a/b/c/b"], ["a/bb", "ab", "a/b/c"]],
    ["a/**/b/**/c", ["a/b/c", "a/c/b/b/x/c"], ["a/c", "a/c/b"]],
    ["a/**", ["a", "a/b", "a/.b/c"], ["ab", "b/a"]],
    ["a/*/**", ["a/b/c"], ["a/b", "a"]],
    ["a**b", ["ab", "axb"], ["a/b"]],
    ["**.ts", ["a.ts"], ["a/b.ts"]],
    ["?", ["a", "."], ["ab", "/"]],
    ["a?b", ["axb"], ["ab", "a/b"]],
    ["[a-c]x[^0-9-]", ["axy", "cxy"], ["dxy", "ax1", "ax-", "ax/"]],
    ["[!a]", ["b", "!"], ["a"]],
    ["[]a]", ["]", "a"], ["b"]],
    ["[\\]a-]", ["]", "a", "-"], ["\\"]],
    ["[id]/[...all].*", ["i/a.ts", "[id]/[...all].ts", "d/[...all].x"], ["x/a.ts"]],
    ["[a", ["[a"], ["a"]],
    ["[]", ["[]"], ["]"]],
    ["{a,b}", ["a", "b"], ["c", "{a,b}"]],
    ["a{,.b}", ["a", "a.b"], ["a."]],
    ["{a,b{c,{d,e}f}}g", ["ag", "bcg", "bdfg", "befg"], ["bg", "cg"]],
    ["{a,b}{.*,/c.*}", ["a.x", "b/c.x"], ["a", "b/d.x", "c/c.x"]],
    ["{a/**,b}/c", ["a/c", "a/x/c", "b/c"], ["b/x/c"]],
    ["{a}{}{1..3},", ["{a}{}{1..3},"], ["a1,", "a"]],
    ["{a,b", ["{a,b"], ["a"]],
    ["}a,{b,c}", ["}a,b", "}a,c"], ["a"]],
    ["\\*\\{a,b\\}\\[c]\\\\", ["*{a,b}[c]\\"], ["xa", "*a[c]\\"]],
    ["!a", ["!a"], ["b", "a"]],
    ["@(a|b)+(c)", ["@(a|b)+(c)"], ["ac", "acc"]],
    ["(a)/*", ["(a)/b"], ["a/b"]],
  ])("%s: that and nothing else", (glob, hits, misses) => {
    expect(hits.filter((path) => !matches(glob, path))).toEqual([]);
    expect(misses.filter((path) => matches(glob, path))).toEqual([]);
  });

  test("a path, whatever of it is left open", () => {
    const name = fc.string({ unit: fc.constantFrom("a", "b", "."), minLength: 1, maxLength: 3 });
    const open = fc.constantFrom(
      (text: string) => text,
      () => "*",
      () => "**",
      (text: string) => "?".repeat(text.length),
      (text: string) => `${text[0]}*`,
      (text: string) => `*[${text.at(-1)}]`,
      (text: string) => `**/{x,${text}}`,
      (text: string) => `{x,${text}/}**`,
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(name, open), { minLength: 1, maxLength: 5 }), (parts) => {
        const glob = parts.map(([text, opened]) => opened(text)).join("/");
        expect(matches(glob, parts.map(([text]) => text).join("/"))).toBe(true);
      }),
    );
  });
});

describe("an answer does not take long", () => {
  const many = "a".repeat(4_000);

  test.each([
    ["stars", "*a*a*a*a*ab", many],
    ["stars before a last name that is right", "*a*a*a*a*a*cb", `${many}b`],
    ["a star before a long name", `*${"a".repeat(900)}cb`, `${many}b`],
    ["repetitions within each other", "+(+(a))b", many],
    ["folders", `${"**/a/".repeat(6)}b`, "a/".repeat(1_000)],
    ["folders before a last one that is right", `${"**/*a/".repeat(100)}c/b`, `${"aaa/".repeat(1_000)}b`],
    ["brackets", `${"*[a-b]".repeat(100)}c?`, many],
    ["brackets that are not closed", "[\\]".repeat(3_000), many],
    ["braces side by side", "{a,b}".repeat(200), "b".repeat(200)],
    ["braces within each other", `${"{a,".repeat(3_000)}${"}".repeat(3_000)}`, "b"],
    ["braces around nothing", "{,}".repeat(300), "b"],
    ["a pattern that is longer than any", "{,".repeat(1_000_000), "b"],
  ])("with %s", (_, glob, path) => {
    const start = performance.now();
    expect(matches(glob, path)).toBe(false);
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
