import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  commitFile,
  fingerprint,
  makeRepository,
  scratchFolder,
  userGit,
} from "../../../../tests/setup/user-git.ts";
import { localInside } from "../files/local-inside.ts";
import { putRepository } from "./clone.ts";

/** Where the "sandbox" is, and what a fresh one has: an empty folder. */
function scene(): {
  at: string;
  host: string;
  path: string;
  put: (commit?: string) => ReturnType<typeof putRepository>;
  lines: string[];
} {
  const at = scratchFolder();
  const host = join(at, "host");
  const path = join(at, "inside");
  mkdirSync(path);
  const lines: string[] = [];
  const inside = localInside(at, { HOME: at, GIT_CONFIG_NOSYSTEM: "1" });
  const put = (commit?: string) =>
    putRepository(inside, {
      repository: host,
      path,
      onProgress: (line) => lines.push(line),
      ...(commit === undefined ? {} : { commit }),
    });
  return { at, host, path, put, lines };
}

describe("a repository goes in", () => {
  test("with its history, branch, tags and files, and nothing that points back", async () => {
    const { host, path, put } = scene();
    makeRepository(host, "--initial-branch=feature/é");
    userGit(host, "tag", "-a", "v1", "-m", "one");
    userGit(host, "tag", "light");
    const head = userGit(host, "rev-parse", "HEAD");
    await expect(put()).resolves.toEqual({ commit: head, branch: "feature/é", submodules: [] });
    expect(userGit(path, "symbolic-ref", "HEAD")).toBe("refs/heads/feature/é");
    expect(userGit(path, "log", "--format=%H")).toBe(userGit(host, "log", "--format=%H"));
    expect(userGit(path, "describe", "HEAD")).toBe("v1");
    expect(userGit(path, "tag")).toBe("light\nv1");
    expect(userGit(path, "status", "--porcelain")).toBe("");
    expect(userGit(path, "remote")).toBe("");
    expect(userGit(path, "fsck", "--strict")).toBe("");
    expect(readFileSync(join(path, "src/main.ts"), "utf8")).toBe("console.log(1);\n");
    // 1: grep found the host's path nowhere.
    expect(spawnSync("grep", ["-rqF", host, path]).status).toBe(1);
  });

  test("and leaves the host's checkout, index and stash as they were, to the time stamp", async () => {
    const { host, put, lines } = scene();
    makeRepository(host);
    writeFileSync(join(host, "README.md"), "stashed\n");
    userGit(host, "stash");
    writeFileSync(join(host, "README.md"), "dirty\n");
    writeFileSync(join(host, "untracked"), "new\n");
    userGit(host, "add", "README.md");
    writeFileSync(join(host, "src/main.ts"), "not even staged\n");
    const before = fingerprint(host);
    await put();
    expect(fingerprint(host)).toEqual(before);
    expect(lines).toEqual([expect.stringContaining("uncommitted changes stay on the host")]);
  });

  test("at another commit, detached, without what came later", async () => {
    const { host, path, put } = scene();
    makeRepository(host);
    const first = userGit(host, "rev-parse", "HEAD~1");
    await expect(put(first)).resolves.toMatchObject({ commit: first, branch: null });
    expect(userGit(path, "rev-parse", "HEAD")).toBe(first);
    expect(() => userGit(path, "symbolic-ref", "HEAD")).toThrow();
    expect(userGit(path, "for-each-ref")).toBe("");
    expect(existsSync(join(path, "src"))).toBe(false);
  });

  test("at a branch that is not checked out, under its name", async () => {
    const { host, path, put } = scene();
    makeRepository(host);
    userGit(host, "branch", "other", "HEAD~1");
    await expect(put("other")).resolves.toMatchObject({ branch: "other" });
    expect(userGit(path, "branch", "--show-current")).toBe("other");
  });

  test("with a detached HEAD", async () => {
    const { host, put } = scene();
    makeRepository(host);
    userGit(host, "checkout", "-q", "--detach");
    await expect(put()).resolves.toMatchObject({ branch: null, commit: expect.any(String) });
  });

  test("without any commit", async () => {
    const { host, path, put } = scene();
    mkdirSync(host);
    userGit(host, "init", "-q", "--initial-branch=trunk");
    await expect(put()).resolves.toEqual({ commit: null, branch: "trunk", submodules: [] });
    expect(userGit(path, "symbolic-ref", "HEAD")).toBe("refs/heads/trunk");
  });

  test("with sha256 objects", async () => {
    const { host, path, put } = scene();
    makeRepository(host, "--object-format=sha256");
    const { commit } = await put();
    expect(commit).toHaveLength(64);
    expect(userGit(path, "fsck")).toBe("");
  });

  test("that is shallow, and stays so", async () => {
    const { at, host, path, put } = scene();
    makeRepository(join(at, "upstream"));
    for (const n of [3, 4, 5]) commitFile(join(at, "upstream"), `file-${n}`, `${n}`);
    userGit(at, "clone", "-q", "--depth=2", `file://${at}/upstream`, host);
    await put();
    expect(userGit(path, "rev-list", "--count", "HEAD")).toBe("2");
    expect(userGit(path, "rev-parse", "--is-shallow-repository")).toBe("true");
    expect(userGit(path, "fsck")).toBe("");
    expect(userGit(path, "remote")).toBe("");
  });

  test("that borrows its objects from another one", async () => {
    const { at, host, path, put } = scene();
    makeRepository(join(at, "upstream"));
    userGit(at, "clone", "-q", "--shared", join(at, "upstream"), host);
    await put();
    expect(existsSync(join(path, ".git/objects/info/alternates"))).toBe(false);
    expect(userGit(path, "fsck", "--full")).toBe("");
  });

  test("as a linked work tree", async () => {
    const { at, host, path, put } = scene();
    makeRepository(join(at, "main"));
    userGit(join(at, "main"), "worktree", "add", "-q", "-b", "linked", host);
    await expect(put()).resolves.toMatchObject({ branch: "linked" });
    expect(userGit(path, "status", "--porcelain")).toBe("");
  });

  test("with pointers of large files as pointers, whatever the settings say", async () => {
    const { at, host, path, put } = scene();
    makeRepository(host);
    const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0000\nsize 5\n";
    commitFile(host, ".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
    commitFile(host, "model.bin", pointer);
    writeFileSync(
      join(at, ".gitconfig"),
      '[filter "lfs"]\nsmudge = false\nprocess = false\nrequired = true\n',
    );
    await put();
    expect(readFileSync(join(path, "model.bin"), "utf8")).toBe(pointer);
  });

  test("in place of the one that a template brought, of which nothing stays", async () => {
    const { host, path, put } = scene();
    makeRepository(host);
    makeRepository(path);
    commitFile(path, "committed-inside", "1");
    writeFileSync(join(path, ".hidden"), "");
    writeFileSync(join(path, "..odd"), "");
    mkdirSync(join(path, "cache/read-only"), { recursive: true });
    writeFileSync(join(path, "cache/read-only/file"), "");
    chmodSync(join(path, "cache/read-only"), 0o555);
    const head = userGit(host, "rev-parse", "HEAD");
    await expect(put()).resolves.toMatchObject({ commit: head });
    expect(readdirSync(path).sort()).toEqual([".git", "README.md", "src"]);
    expect(userGit(path, "log", "--format=%H")).toBe(userGit(host, "log", "--format=%H"));
    expect(userGit(path, "status", "--porcelain")).toBe("");
  });

  test("with its public address, without the token in it", async () => {
    const { host, path, put } = scene();
    makeRepository(host);
    userGit(host, "remote", "add", "origin", "https://me:token-canary@example.com/o/r.git");
    await put();
    expect(userGit(path, "remote", "get-url", "origin")).toBe("https://example.com/o/r.git");
    expect(readFileSync(join(path, ".git/config"), "utf8")).not.toContain("canary");
  });

  test("with the submodules that are initialised, at the commits it records", async () => {
    const { at, host, path, put } = scene();
    for (const name of ["inner", "middle", "unused"]) makeRepository(join(at, name));
    userGit(join(at, "middle"), "submodule", "--quiet", "add", `${at}/inner`, "deep/inner");
    userGit(join(at, "middle"), "commit", "-q", "-m", "inner");
    makeRepository(host);
    userGit(host, "submodule", "--quiet", "add", `${at}/middle`, "libs/middle");
    userGit(host, "submodule", "--quiet", "add", `${at}/unused`, "unused");
    userGit(host, "commit", "-q", "-m", "submodules");
    userGit(host, "submodule", "--quiet", "update", "--init", "--recursive");
    userGit(host, "submodule", "--quiet", "deinit", "-f", "unused");
    const recorded = userGit(join(host, "libs/middle"), "rev-parse", "HEAD");
    // Checked out on the host is another one: what the commit records counts.
    commitFile(join(host, "libs/middle"), "later", "later\n");
    const { submodules } = await put();
    expect(submodules.map(({ path: where }) => where)).toEqual(["libs/middle", "libs/middle/deep/inner"]);
    expect(submodules[0]?.commit).toBe(recorded);
    expect(userGit(join(path, "libs/middle"), "rev-parse", "HEAD")).toBe(recorded);
    expect(existsSync(join(path, "libs/middle/deep/inner/README.md"))).toBe(true);
    expect(userGit(path, "status", "--porcelain")).toBe("");
    expect(userGit(path, "submodule", "status", "--recursive")).toMatch(
      /^[0-9a-f]+ libs\/middle .*\n [0-9a-f]+ libs\/middle\/deep\/inner .*\n-[0-9a-f]+ unused$/,
    );
  });
});

describe("a repository is refused", () => {
  test("that is none", async () => {
    const { host, put } = scene();
    mkdirSync(host);
    await expect(put()).rejects.toMatchObject({ code: "workspace_refused", remedy: expect.any(String) });
  });

  test("that does not exist", async () => {
    const { put } = scene();
    await expect(put()).rejects.toMatchObject({ code: "workspace_refused" });
  });

  test("that is a folder inside of one", async () => {
    const { at, host, put } = scene();
    makeRepository(at);
    mkdirSync(host);
    await expect(put()).rejects.toMatchObject({
      code: "workspace_refused",
      remedy: expect.stringContaining(at),
    });
  });

  test("without the commit that was asked for, also when it looks like an option", async () => {
    const { host, put } = scene();
    makeRepository(host);
    await expect(put("no-such")).rejects.toMatchObject({ code: "git_failed" });
    await expect(put("--git-dir")).rejects.toMatchObject({ code: "git_failed" });
  });

  test("that is a partial clone and lacks something, without fetching it", async () => {
    const { at, host, put } = scene();
    makeRepository(join(at, "upstream"));
    userGit(join(at, "upstream"), "config", "uploadpack.allowFilter", "true");
    commitFile(join(at, "upstream"), "README.md", "second\n");
    userGit(at, "clone", "-q", "--filter=blob:none", `file://${at}/upstream`, host);
    const before = fingerprint(host);
    await expect(put()).rejects.toMatchObject({
      code: "unsupported",
      remedy: expect.stringContaining("--refetch"),
    });
    expect(fingerprint(host)).toEqual(before);
    userGit(host, "fetch", "-q", "--refetch", "--no-filter", "origin");
    await expect(put()).resolves.toMatchObject({ branch: "main" });
  });

  test("whose objects are damaged, with git's own words", async () => {
    const { host, put } = scene();
    makeRepository(host);
    const blob = userGit(host, "rev-parse", "HEAD:README.md");
    writeFileSync(join(host, ".git/objects/.keep"), "");
    execFileSync("rm", ["-f", join(host, ".git/objects", blob.slice(0, 2), blob.slice(2))]);
    await expect(put()).rejects.toMatchObject({ code: "git_failed", message: expect.stringContaining(blob) });
  });
});
