import { join, normalize } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { entryComponents, leadsOutside } from "./entry-name.ts";

/** Names made of the pieces that attacks are made of. */
const hostileName = fc
  .array(
    fc.constantFrom(
      "..",
      ".",
      "",
      "a",
      "b",
      "/",
      "\0",
      "\\",
      "...",
      "c:",
      "\uFFFD",
      "x".repeat(256),
      " ",
      "\n",
    ),
    {
      maxLength: 12,
    },
  )
  .map((parts) => parts.join("/"));

describe("entry names", () => {
  test.each([
    ["./a/b", ["a", "b"]],
    ["a//b/", ["a", "b"]],
    ["./", []],
    ["a b/…/-x", ["a b", "…", "-x"]],
  ])("%j is %j", (name, components) => {
    expect(entryComponents(name)).toEqual(components);
  });

  test.each([
    "/etc/passwd",
    "../x",
    "a/../../x",
    "a/..",
    "a\0b",
    "\uFFFD",
    "x".repeat(256),
    "a/".repeat(300),
  ])("%j is refused", (name) => {
    expect(() => entryComponents(name)).toThrowError(expect.objectContaining({ code: "copy_refused" }));
  });

  test("whatever is accepted stays below the root", () => {
    fc.assert(
      fc.property(fc.oneof(hostileName, fc.string({ unit: "binary" })), (name) => {
        const components = accepted(name);
        if (!components) return;
        expect(
          components.every((part) => part !== "" && part !== "." && part !== ".." && !/[/\0]/.test(part)),
        ).toBe(true);
        expect(normalize(join("/root", ...components))).toBe(["/root", ...components].join("/"));
      }),
    );
  });
});

describe("link targets", () => {
  test.each([
    ["a", "b"],
    ["a/b", "../c"],
    ["a/b/c", "../../d/e"],
    ["a", "./b/c"],
    ["a/b", ".."],
  ])("%j → %j stays inside", (link, target) => {
    expect(leadsOutside(link.split("/"), target)).toBeUndefined();
  });

  test.each([
    ["a", ".."],
    ["a", "../x"],
    ["a/b", "../../x"],
    ["a", "/etc/passwd"],
    ["a", ""],
    // Behind a link to the root, `..` is outside although it does not look so.
    ["a/b", "link/../../x"],
    ["a/b", "x\0"],
  ])("%j → %j is refused", (link, target) => {
    expect(leadsOutside(link.split("/"), target)).toEqual(expect.any(String));
  });
});

function accepted(name: string): string[] | undefined {
  try {
    return entryComponents(name);
  } catch {
    return undefined;
  }
}
