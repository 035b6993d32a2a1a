import { describe, expect, it } from "vitest";
import { loopScene } from "../git/git-fixture.ts";
import { lockNotes, newSources } from "./lock-files.ts";

describe("a changed lock file", () => {
  it.each([
    ["another host", '"resolved": "https://evil.example.test/a.tgz"', ["evil.example.test"]],
    ["a host with a name in front", "git+ssh://git@evil.example.test/a.git", ["evil.example.test"]],
    [
      "a host with a name and a known one in front",
      "https://a@registry.example.test@evil.example.test/a",
      ["evil.example.test"],
    ],
    [
      "a host with a known one behind",
      "https://evil.example.test?@registry.example.test/a",
      ["evil.example.test"],
    ],
    [
      "a host with a known one behind a backslash",
      "https://evil.example.test\\@registry.example.test/a",
      ["evil.example.test"],
    ],
    ["another port", "https://registry.example.test:8443/a.tgz", ["registry.example.test:8443"]],
    ["a file of its own", '"resolved": "file:vendor/a.tgz"', ["file:vendor/a.tgz"]],
    ["a folder, in pnpm's words", "resolution: {directory: lib/a, type: directory}", ["directory: lib/a"]],
    ["a folder, in yarn's words", 'resolution: "a@workspace:lib/a"', ["workspace:lib/a"]],
    ["a program that makes it", 'resolution: "a@exec:./make.js#./make.js"', ["exec:./make.js#./make.js"]],
    ["a folder, in uv's words", 'source = { editable = "lib/a" }', ['editable = "lib/a']],
    ["a folder that stands for a module", "replace example.test/a => ./fake", ["=> ./fake"]],
    ["such a folder behind a gap", `replace example.test/a =>${" \t".repeat(1_000)}./fake`, ["=> ./fake"]],
    ["the same host", '"resolved": "https://registry.example.test/b.tgz"', []],
  ])("that leads to %s says so where that is new", (_what, line, sources) => {
    const before = '"resolved": "https://registry.example.test/a.tgz"';
    expect(newSources(Buffer.from(before), Buffer.from(`${before}\n${line}`))).toEqual(sources);
  });

  it("is said to be changed, and nothing of a set-up that there may not be", async () => {
    const { own: repository, baseOid: tip, derive } = await loopScene({ "yarn.lock": "one\n" });
    const commit = await derive({ "yarn.lock": "two\n" });
    expect(await lockNotes({ repository, tip }, commit, ["yarn.lock"])).toEqual(["yarn.lock was changed"]);
  });

  it("is not led anywhere by a checksum", () => {
    expect(newSources(undefined, Buffer.from('"integrity": "sha512-ab//cd+//ef=="'))).toEqual([]);
  });

  it("of millions of characters is read in a moment, and what it says is told in a line", () => {
    const start = performance.now();
    for (const shape of ["a+", "a:", "/", "//_", "://a@", '"file:', "@", "{path", " path = "])
      newSources(undefined, Buffer.from(shape.repeat(1_000_000)));
    const [source = ""] = newSources(undefined, Buffer.from(`"file:${"a".repeat(4_000_000)}"`));
    expect(source).toMatch(/^file:aaa/);
    expect(source.length).toBeLessThan(1_000);
    // On a busy machine too; what grows with the square of the length takes minutes.
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it("that leads to any number of places is told of by the first of them", () => {
    const lines = Array.from({ length: 1_000 }, (_, n) => `"https://host-${n}.example.test/a.tgz"\n`);
    const sources = newSources(undefined, Buffer.from(lines.join("")));
    expect(sources.slice(0, 2)).toEqual(["host-0.example.test", "host-1.example.test"]);
    expect(sources.length).toBeLessThan(100);
  });

  it("that is new leads to all that it names", () => {
    expect(newSources(undefined, Buffer.from('"https://one.example.test/x"'))).toEqual(["one.example.test"]);
    expect(newSources(Buffer.from("https://one.example.test"), undefined)).toEqual([]);
  });
});
