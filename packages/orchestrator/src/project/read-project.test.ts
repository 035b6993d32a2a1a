import { describe, expect, it } from "vitest";
import { pathMatcher } from "../git/path-matcher.ts";
import type { Detected } from "./detect/detect-project.ts";
import { parseProjectFile, settledProject } from "./read-project.ts";

const detected: Detected = {
  detected: ["npm (package.json)"],
  setup: ["npm ci"],
  verify: [{ command: "npm test" }],
  testPaths: ["test/**"],
  protectedPaths: ["package.json"],
  lockFiles: ["package-lock.json"],
};

function settle(file: object, flags: object = {}, names: string[] = []) {
  return settledProject({ file, flags, detected, names, read: async () => undefined });
}

const parse = (content: unknown) => parseProjectFile(Buffer.from(JSON.stringify(content)));

describe("opentiger.json", () => {
  it("may write a check as a string", () => {
    expect(parse({ verify: ["npm test", { command: "x", reporter: { format: "tap" } }] }).verify).toEqual([
      { command: "npm test" },
      { command: "x", reporter: { format: "tap" } },
    ]);
  });

  it.each([
    ["has a key that is not known", { verfy: [] }, /verfy/],
    ["has one in a part of it", { limits: { disk: "1g" } }, /limits/],
    ["leads out of the repository", { testPaths: ["../other/**"] }, /testPaths\.0.*within the repository/],
    [
      "has a report elsewhere",
      { verify: [{ command: "x", reporter: { format: "tap", path: "/etc/x" } }] },
      /verify\.0/,
    ],
    ["has an unknown reporter", { verify: [{ command: "x", reporter: { format: "xunit" } }] }, /verify\.0/],
    ["has a variable that is none", { env: { "A-B": "x" } }, /env/],
    ["has a variable of ours", { env: { OPENTIGER_HOME: "/x" } }, /env/],
    ["has a size that is none", { limits: { memory: "lots" } }, /is wrong at limits\.memory/],
    [
      "has a host that is none",
      { network: { setup: { allow: ["http://x/y"] } } },
      /names an unusable host under network\.setup\.allow/,
    ],
    ["is a list", [], /top/],
  ])("that %s is refused, with the place", (_what, content, message) => {
    expect(() => parse(content)).toThrow(
      expect.objectContaining({ code: "project_invalid", message: expect.stringMatching(message) }),
    );
  });

  it("that is no JSON, or huge, is refused", () => {
    expect(() => parseProjectFile(Buffer.from("{,}"))).toThrow(/not JSON/);
    expect(() => parseProjectFile(Buffer.alloc(2_000_000, " "))).toThrow(/larger/);
  });

  it.each(["testPaths", "protectedPaths"])(
    "with a pattern in %s that would protect nothing is refused",
    (key) => {
      const wide = `src/${"{a,b}".repeat(30)}`;
      expect(() => parse({ [key]: ["Makefile", wide] })).toThrow(/braces stand for too much: src/);
      expect(parse({ [key]: ["src/{a,b}/**"] })).toMatchObject({ [key]: ["src/{a,b}/**"] });
    },
  );
});

describe("what holds for a project", () => {
  it("is what was detected, where nobody says otherwise", async () => {
    const project = await settle({});
    expect(project).toMatchObject({
      image: null,
      setup: ["npm ci"],
      verify: [{ command: "npm test" }],
      env: {},
    });
    expect(project.limits).toMatchObject({ memory: null, binaries: "refused" });
    expect(project.sources).toMatchObject({ setup: "detected", verify: "detected", image: "default" });
  });

  it("is what the file says before that, and flags before both", async () => {
    const project = await settle({ setup: [], image: "x:1", env: { A: "file" } }, { image: "y:1" });
    expect(project).toMatchObject({ image: "y:1", setup: [], env: { A: "file" } });
    expect(project.sources).toMatchObject({ image: "flag", setup: "file", env: "file", verify: "detected" });
  });

  it("protects the file itself, and scripts that commands call, whatever the file says", async () => {
    const verify = [
      { command: "cd web && sh 'ci/test.sh'; ./gradlew check && node src/main.js --self-test" },
    ];
    const file = { protectedPaths: [], setup: ["./ci/setup.sh --fast"], verify };
    const names = ["ci/setup.sh", "ci/test.sh", "gradlew", "src/main.js", "other.sh"];
    const project = await settle(file, {}, names);
    expect(project.protectedPaths).toEqual(["opentiger.json", "ci/setup.sh", "ci/test.sh", "gradlew"]);
    expect(project.lockFiles.slice(0, 2)).toEqual(["package-lock.json", "ci/setup.sh"]);
  });

  it.each([
    ["bundle install", "Gemfile.lock"],
    ["poetry install", "poetry.lock"],
    ["cd api && uv sync", "api/uv.lock"],
    ["pip install -r api/requirements-dev.txt -c api/constraints.txt", "api/requirements-dev.txt"],
    ["make deps", "services/one/go.sum"],
  ])("with the set-up `%s` depends on %s, although no such kind is detected", async (command, path) => {
    expect(pathMatcher((await settle({ setup: [command] })).lockFiles)(path)).toBe(true);
    expect(pathMatcher((await settle({ setup: [] })).lockFiles)(path), "nothing is set up").toBe(false);
  });

  it("protects no list of dependencies because a command calls it: a task may change that", async () => {
    const file = { protectedPaths: [], setup: ["cp package-lock.json cache.json"] };
    const project = await settle(file, {}, ["package-lock.json", "cache.json"]);
    expect(project.protectedPaths).toEqual(["opentiger.json", "cache.json"]);
    expect(project.lockFiles).toContain("package-lock.json");
  });

  it("says that there is no evidence to be had where there are no checks", async () => {
    expect((await settle({ verify: [] })).detected.at(-1)).toMatch(
      /no checks: nothing but the judge's model/,
    );
    expect((await settle({})).detected).toEqual(["npm (package.json)"]);
  });
});
