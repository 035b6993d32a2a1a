import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pathMatcher } from "../git/path-matcher.ts";
import { initProject } from "./init-project.ts";
import { parseProjectFile } from "./read-project.ts";

let top: string;

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "ot-init-")));
  put(".git/HEAD", "ref: refs/heads/main\n");
  put("package.json", JSON.stringify({ scripts: { test: "mocha" }, dependencies: { a: "1" } }));
  put("node_modules/a/go.mod", "module a");
});

afterEach(() => rmSync(top, { recursive: true, force: true }));

function put(path: string, content: string): void {
  mkdirSync(dirname(join(top, path)), { recursive: true });
  writeFileSync(join(top, path), content);
}

describe("a new opentiger.json", () => {
  it("has what was detected, at the top of the repository, and can be read again", async () => {
    mkdirSync(join(top, "src/deep"), { recursive: true });
    const { path, content, detected } = await initProject({
      folder: join(top, "src/deep"),
      existing: "kept",
    });
    expect(path).toBe(join(top, "opentiger.json"));
    expect(detected).toEqual(["npm (package.json)"]);
    expect(content).toMatchObject({ verify: ["npm test"] });
    const written = parseProjectFile(readFileSync(path));
    expect(written).toMatchObject({ setup: content.setup, verify: [{ command: "npm test" }] });
    expect(readdirSync(top).toSorted()).toEqual([
      ".git",
      "node_modules",
      "opentiger.json",
      "package.json",
      "src",
    ]);
  });

  it("does not take the place of one that is there, unless that is said", async () => {
    put("opentiger.json", "mine");
    await expect(initProject({ folder: top, existing: "kept" })).rejects.toMatchObject({
      code: "already_exists",
    });
    expect(readFileSync(join(top, "opentiger.json"), "utf8")).toBe("mine");
    await initProject({ folder: top, existing: "replaced" });
    expect(parseProjectFile(readFileSync(join(top, "opentiger.json"))).verify).toHaveLength(1);
  });

  it("is not written through a link", async () => {
    const elsewhere = join(top, ".git/elsewhere");
    symlinkSync(elsewhere, join(top, "opentiger.json"));
    await expect(initProject({ folder: top, existing: "kept" })).rejects.toMatchObject({
      code: "already_exists",
    });
    await initProject({ folder: top, existing: "replaced" });
    expect(readdirSync(join(top, ".git"))).toEqual(["HEAD"]);
  });

  it("says that it has no checks where it found none", async () => {
    rmSync(join(top, "package.json"));
    const { content, detected } = await initProject({ folder: top, existing: "kept" });
    expect(content.verify).toEqual([]);
    expect(detected.join()).toMatch(/no checks/);
  });

  it.each([16, 20])("can be read again where %i folders have a project each", async (count) => {
    rmSync(join(top, "package.json"));
    const manifest = { scripts: { test: "vitest", typecheck: "tsc" }, dependencies: { a: "1" } };
    for (let at = 0; at < count; at += 1) {
      put(`p${at}/package.json`, JSON.stringify(manifest));
      put(`p${at}/requirements.txt`, "pytest\n");
      put(`p${at}/tests/test_a.py`, "");
      put(`p${at}/go.mod`, "module a");
      put(`p${at}/Cargo.toml`, "[package]\n");
    }
    const { path } = await initProject({ folder: top, existing: "kept" });
    const { verify, protectedPaths = [], testPaths = [] } = parseProjectFile(readFileSync(path));
    expect(verify).toHaveLength(count * 5);
    const isProtected = pathMatcher(protectedPaths);
    expect(isProtected("p1/deep/package.json") && isProtected(`p${count - 1}/vite.config.ts`)).toBe(true);
    expect(isProtected("elsewhere/package.json")).toBe(false);
    expect(pathMatcher(testPaths)("p15/src/a.spec.ts")).toBe(true);
    expect(protectedPaths.length + testPaths.length).toBeLessThan(100);
  });

  it("does not repeat what is protected without being named", async () => {
    const scripts = Array.from({ length: 300 }, (_, at) => `bin/check-${at}.sh`);
    for (const script of scripts) put(script, "true\n");
    put(
      "package.json",
      JSON.stringify({ scripts: { test: scripts.map((each) => `sh ${each}`).join("; ") } }),
    );
    const { path, content } = await initProject({ folder: top, existing: "kept" });
    expect(parseProjectFile(readFileSync(path)).protectedPaths).toEqual(content.protectedPaths);
    expect(content.protectedPaths).not.toContain(scripts[0]);
  });

  it("is not written where openTiger would not take it", async () => {
    const long = "a-package-with-a-name-that-somebody-has-thought-about-for-a-very-long-time";
    put("package.json", JSON.stringify({ workspaces: ["packages/*"] }));
    for (let at = 0; at < 200; at += 1)
      put(`packages/${long}-${at}/package.json`, JSON.stringify({ scripts: { test: "mocha" } }));
    await expect(initProject({ folder: top, existing: "kept" })).rejects.toMatchObject({
      code: "project_invalid",
      message: expect.stringMatching(/verify/),
      remedy: expect.not.stringMatching(/init --force/),
    });
    expect(readdirSync(top)).not.toContain("opentiger.json");
  });

  it("is refused outside of a repository", async () => {
    rmSync(join(top, ".git"), { recursive: true });
    await expect(initProject({ folder: top, existing: "kept" })).rejects.toMatchObject({
      code: "workspace_missing",
    });
  });
});
