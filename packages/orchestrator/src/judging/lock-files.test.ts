import { describe, expect, it } from "vitest";
import { newSources } from "./lock-files.ts";

describe("a changed lock file", () => {
  it.each([
    ["another host", '"resolved": "https://evil.example.test/a.tgz"', ["evil.example.test"]],
    ["a host with a name in front", "git+ssh://git@evil.example.test/a.git", ["evil.example.test"]],
    ["another port", "https://registry.example.test:8443/a.tgz", ["registry.example.test:8443"]],
    ["a file of its own", '"resolved": "file:vendor/a.tgz"', ["file:vendor/a.tgz"]],
    ["the same host", '"resolved": "https://registry.example.test/b.tgz"', []],
  ])("that leads to %s says so where that is new", (_what, line, sources) => {
    const before = '"resolved": "https://registry.example.test/a.tgz"';
    expect(newSources(Buffer.from(before), Buffer.from(`${before}\n${line}`))).toEqual(sources);
  });

  it("that is new leads to all that it names", () => {
    expect(newSources(undefined, Buffer.from('"https://one.example.test/x"'))).toEqual(["one.example.test"]);
    expect(newSources(Buffer.from("https://one.example.test"), undefined)).toEqual([]);
  });
});
