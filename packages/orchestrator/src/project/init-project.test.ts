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

  it("is refused outside of a repository", async () => {
    rmSync(join(top, ".git"), { recursive: true });
    await expect(initProject({ folder: top, existing: "kept" })).rejects.toMatchObject({
      code: "workspace_missing",
    });
  });
});
