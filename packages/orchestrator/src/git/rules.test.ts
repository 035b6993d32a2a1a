import { describe, expect, test } from "vitest";
import { changedFile } from "../fixture/changed-file.ts";
import type { FileChange } from "./file-change.ts";
import { staysInside } from "./link-target.ts";
import { checkRules, type Rules } from "./rules.ts";

const limits: Rules["project"]["limits"] = {
  memory: null,
  cpus: null,
  pids: null,
  changedFiles: 100,
  changedBytes: 1_000_000,
  binaries: "refused",
};

function check(changes: FileChange[], rules: Partial<Rules> = {}) {
  const project = { limits, testPaths: ["tests/**"] };
  return checkRules(changes, { allowedPaths: [], mayChange: [], role: "worker", project, ...rules });
}

const files = (points: ReturnType<typeof check>) => points.map(({ by, file }) => [by, file]);

describe("a candidate keeps the rules", () => {
  test("when it changes text that it may change", () => {
    expect(
      check([changedFile("src/a.ts"), changedFile("b", { status: "deleted", newMode: null, newOid: null })]),
    ).toEqual([]);
    expect(check([changedFile("src/a.ts")], { allowedPaths: ["src"] })).toEqual([]);
    expect(check([changedFile("tests/a.ts")], { role: "tester", allowedPaths: ["tests"] })).toEqual([]);
    expect(check([changedFile("run.sh", { newMode: "100755" })])).toEqual([]);
    expect(check([changedFile("link", { newMode: "120000", linkTarget: "src/a.ts" })])).toEqual([]);
  });

  test("when the plan lists what would be refused otherwise", () => {
    const mayChange = ["package.json", "opentiger.json", ".claude"];
    const rules = { allowedPaths: ["src"], mayChange };
    expect(
      check(
        [changedFile("package.json"), changedFile("opentiger.json"), changedFile(".claude/settings.json")],
        rules,
      ),
    ).toEqual([]);
  });
});

describe("a candidate breaks the rules", () => {
  test("with a file outside its paths, old or new or gone", () => {
    const gone = changedFile("lib/b.ts", { status: "deleted", newMode: null, newOid: null });
    const points = check([changedFile("src/a.ts"), changedFile("lib/a.ts"), gone, changedFile("srcs/x")], {
      allowedPaths: ["src"],
    });
    expect(files(points)).toEqual([
      ["rules", "lib/a.ts"],
      ["rules", "lib/b.ts"],
      ["rules", "srcs/x"],
    ]);
    expect(points[0]?.text).toContain("only: src.");
  });

  test("as a tester with anything but tests", () => {
    const points = check([changedFile("tests/a.ts"), changedFile("src/a.ts")], { role: "tester" });
    expect(files(points)).toEqual([["rules", "src/a.ts"]]);
  });

  test.each([
    "opentiger.json",
    "OpenTiger.JSON",
    ".claude/settings.json",
    "packages/a/.CLAUDE/settings.local.json",
    ".mcp.json",
    ".codex/config.toml",
    "opencode.json",
    ".opencode/plugin/x.ts",
    ".gemini/settings.json",
    ".vscode/tasks.json",
    ".vscode/mcp.json",
    // A link to a folder that has one of these.
    "web/.vscode",
    ".husky/post-merge",
    ".githooks/post-checkout",
    "web/.husky/post-merge",
    "lefthook.yml",
    ".lefthook-local.toml",
    ".gitmodules",
  ])("with %s, which the plan does not list", (path) => {
    expect(files(check([changedFile(path, { status: "added", oldMode: null, oldOid: null })]))).toEqual([
      ["rules", path],
    ]);
  });

  test("with a submodule, added or taken away", () => {
    expect(
      files(check([changedFile("a", { newMode: "160000" }), changedFile("b", { oldMode: "160000" })])),
    ).toEqual([
      ["rules", "a"],
      ["rules", "b"],
    ]);
  });

  test("with a link that leads out, or whose target is not known", () => {
    const link = (linkTarget: string | null) => changedFile("a/link", { newMode: "120000", linkTarget });
    for (const target of ["/etc/passwd", "../../x", null, "../.git/config"])
      expect(check([link(target)])).toHaveLength(1);
  });

  test("with a new pointer of Git LFS; one that was there before may move", () => {
    const pointer = changedFile("big.bin", { isPointer: true });
    expect(files(check([pointer]))).toEqual([["rules", "big.bin"]]);
    expect(check([{ ...pointer, status: "added", oldOid: null, oldPath: "before.bin" }])).toEqual([]);
    expect(check([{ ...pointer, newMode: "100755", newOid: pointer.oldOid }])).toEqual([]);
  });

  test("with binaries, unless the project allows them", () => {
    const image = changedFile("a.png", { binary: true });
    expect(files(check([image]))).toEqual([["rules", "a.png"]]);
    expect(check([changedFile("a.png", { binary: true, status: "deleted", newMode: null })])).toEqual([]);
    expect(
      check([image], { project: { limits: { ...limits, binaries: "allowed" }, testPaths: [] } }),
    ).toEqual([]);
  });

  test("with too many files or bytes", () => {
    const many = Array.from({ length: 101 }, (_, n) => changedFile(`f${n}`));
    expect(check(many)).toEqual([
      expect.objectContaining({ file: null, text: expect.stringContaining("101 files") }),
    ]);
    expect(check([changedFile("a", { bytes: 1_000_001 })])).toEqual([
      expect.objectContaining({ text: expect.stringContaining("1000001 bytes") }),
    ]);
  });

  test("with a test that was written first, changed or gone", () => {
    const locked = new Map([
      ["tests/a.ts", "3".repeat(40)],
      ["tests/b.ts", "3".repeat(40)],
      ["tests/c.ts", "2".repeat(40)],
    ]);
    const gone = changedFile("tests/b.ts", { newOid: null, newMode: null, status: "deleted" });
    const points = check(
      [changedFile("tests/a.ts"), gone, changedFile("tests/c.ts"), changedFile("src/a.ts")],
      {
        locked,
      },
    );
    expect(files(points)).toEqual([
      ["tests", "tests/a.ts"],
      ["tests", "tests/b.ts"],
    ]);
  });

  test("with a test that was written first and became something else of the same content", () => {
    const locked = new Map([["tests/a.ts", "1".repeat(40)]]);
    const same = { newOid: "1".repeat(40), linkTarget: "b.ts" };
    for (const newMode of ["120000", "100755"])
      expect(files(check([changedFile("tests/a.ts", { ...same, newMode })], { locked }))).toEqual([
        ["tests", "tests/a.ts"],
      ]);
  });

  test("with a name that cannot be shown, which is shown all the same", () => {
    const points = check([changedFile("a\u001b[2Jb"), changedFile("latin-\udcfc")]);
    expect(files(points)).toEqual([
      ["rules", "a\\x1b[2Jb"],
      ["rules", "latin-ü"],
    ]);
  });

  test("in so many ways that the rest is counted", () => {
    const points = check(
      Array.from({ length: 80 }, (_, n) => changedFile(`x${n}`)),
      { allowedPaths: ["src"] },
    );
    expect([points.length, points.at(-1)?.text]).toEqual([51, "and 30 more of this kind"]);
  });
});

describe("a link", () => {
  test.each([
    ["a", "b"],
    ["a/b/c", "../../d"],
    ["a/b", "."],
    ["a/b", "./c/d"],
    ["a", "..b"],
  ])("at %s to %s stays inside", (path, target) => expect(staysInside(path, target)).toBe(true));

  test.each([
    ["a", ".."],
    ["a/b", "../.."],
    ["a", "/a"],
    ["a", ""],
    ["a", ".git/hooks"],
    ["x/a", "../.GIT/hooks"],
    // Through another link that leads to the top, this would end above it.
    ["deep/er/x", "d/../secret"],
  ])("at %s to %s does not", (path, target) => expect(staysInside(path, target)).toBe(false));
});
