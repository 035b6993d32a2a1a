import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  commitFiles,
  fingerprint,
  makeRepository,
  scratchFolder,
  userGit,
  userGitWith,
} from "../../../../tests/setup/user-git.ts";
import { openFor } from "./git-fixture.ts";

function userRepository(...init: readonly string[]): string {
  return makeRepository(join(scratchFolder(), "user"), ...init);
}

const head = (folder: string): string => userGit(folder, "rev-parse", "HEAD");

describe("the commit that a loop starts from", () => {
  test("comes into our repository with its history, and nothing of the user's changes", async () => {
    const user = userRepository();
    writeFileSync(join(user, "README.md"), "dirty\n");
    const before = fingerprint(user);
    const own = await openFor(user);
    const base = await own.importBase("loop1");
    expect(fingerprint(user)).toEqual(before);
    expect(base).toEqual({ baseOid: head(user), notes: [expect.stringContaining("uncommitted")] });
    expect(userGit(own.path, "rev-parse", "refs/opentiger/loop1/base")).toBe(base.baseOid);
    expect(userGit(own.path, "rev-list", "--count", base.baseOid)).toBe("2");
    expect(userGit(own.path, "fsck", "--strict")).toBe("");
  });

  test("stays the one, wherever HEAD goes", async () => {
    const user = userRepository();
    const { baseOid } = await (await openFor(user)).importBase("loop1");
    commitFiles(user, { "later.txt": "later\n" });
    const again = await openFor(user);
    expect((await again.importBase("loop1")).baseOid).toBe(baseOid);
    expect((await again.importBase("loop2")).baseOid).toBe(head(user));
  });

  test("is the same for all who ask at once", async () => {
    const user = userRepository();
    const bases = await Promise.all(
      Array.from({ length: 6 }, async (_, n) => {
        if (n === 3) commitFiles(user, { "between.txt": "x\n" });
        return (await openFor(user)).importBase("loop1");
      }),
    );
    expect(new Set(bases.map(({ baseOid }) => baseOid)).size).toBe(1);
    expect(readdirSync(join(user, "../state/repositories"))).toEqual(["repo-1.git"]);
  });

  test("may be named", async () => {
    const user = userRepository();
    const own = await openFor(user);
    const first = userGit(user, "rev-parse", "HEAD~1");
    expect((await own.importBase("loop1", "main~1")).baseOid).toBe(first);
    await expect(own.importBase("loop2", "no-such")).rejects.toMatchObject({
      code: "git_failed",
      remedy: expect.any(String),
    });
    await expect(own.importBase("loop3", "--help")).rejects.toMatchObject({ code: "git_failed" });
  });

  test("brings only what is new", async () => {
    const user = userRepository();
    const many = Array.from({ length: 3000 }, (_, n) => [`many/${n % 50}/file-${n}`, `${n}\n`]);
    commitFiles(user, Object.fromEntries(many));
    const first = await (await openFor(user)).importBase("loop1");
    commitFiles(user, { "new.txt": "new\n" });
    const own = await openFor(user);
    const { baseOid } = await own.importBase("loop2");
    expect(userGit(own.path, "count-objects", "-v")).toMatch(/^count: 3$[\s\S]*^packs: 1$/m);
    expect(userGit(own.path, "rev-list", "--count", baseOid)).toBe("4");
    expect(await own.listFiles(first.baseOid, ["many/7"])).toHaveLength(60);
  });
});

describe("a repository of the user's that", () => {
  test("has no commit gets a first one, in ours only", async () => {
    const user = join(scratchFolder(), "user");
    mkdirSync(user);
    userGit(user, "init", "-q");
    writeFileSync(join(user, "untracked"), "x");
    const before = fingerprint(user);
    const own = await openFor(user);
    const { baseOid, notes } = await own.importBase("loop1");
    expect(notes).toEqual([expect.stringContaining("no commit yet")]);
    expect(await own.listFiles(baseOid)).toEqual([]);
    expect((await own.importBase("loop1")).baseOid).toBe(baseOid);
    expect(fingerprint(user)).toEqual(before);
  });

  test("has a detached HEAD works, and says so", async () => {
    const user = userRepository();
    userGit(user, "checkout", "-q", "--detach", "HEAD~1");
    const { baseOid, notes } = await (await openFor(user)).importBase("loop1");
    expect([baseOid, notes]).toEqual([head(user), [expect.stringContaining("detached")]]);
  });

  test("is shallow works, and a second loop after it was deepened too", async () => {
    const at = scratchFolder();
    const upstream = makeRepository(join(at, "upstream"));
    for (const n of [3, 4, 5, 6]) commitFiles(upstream, { [`file-${n}`]: `${n}\n` });
    const user = join(at, "user");
    userGit(at, "clone", "-q", "--depth=2", `file://${upstream}`, user);
    const own = await openFor(user);
    const { baseOid, notes } = await own.importBase("loop1");
    expect(notes).toEqual([expect.stringContaining("shallow")]);
    expect(userGit(own.path, "rev-list", "--count", baseOid)).toBe("2");
    userGit(user, "fetch", "-q", "--unshallow");
    const older = await own.importBase("loop2", "HEAD~4");
    expect(userGit(own.path, "rev-list", "--count", older.baseOid)).toBe("2");
    expect(userGit(own.path, "fsck", "--strict")).not.toContain("missing");
  });

  test("is a linked worktree works, at that worktree's HEAD", async () => {
    const main = userRepository();
    const user = join(main, "../linked");
    userGit(main, "worktree", "add", "-q", "-b", "topic", user);
    commitFiles(user, { "topic.txt": "topic\n" });
    const { baseOid } = await (await openFor(user)).importBase("loop1");
    expect(baseOid).toBe(userGit(main, "rev-parse", "topic"));
  });

  test("is bare works", async () => {
    const at = scratchFolder();
    makeRepository(join(at, "work"));
    userGit(at, "clone", "-q", "--bare", "work", "user.git");
    const { baseOid, notes } = await (await openFor(join(at, "user.git"))).importBase("loop1");
    expect([baseOid, notes]).toEqual([head(join(at, "work")), []]);
  });

  test("uses sha256 works", async () => {
    const user = userRepository("--object-format=sha256");
    const own = await openFor(user);
    const { baseOid } = await own.importBase("loop1");
    expect(baseOid).toHaveLength(64);
    expect((await own.readFile(baseOid, "README.md"))?.toString()).toBe("first\n");
  });

  test("has submodules works without them, and says which", async () => {
    const at = scratchFolder();
    makeRepository(join(at, "library"));
    const user = makeRepository(join(at, "user"));
    userGit(user, "submodule", "--quiet", "add", join(at, "library"), "lib");
    userGit(user, "commit", "-q", "-m", "library");
    const own = await openFor(user);
    const { baseOid, notes } = await own.importBase("loop1");
    expect(notes).toEqual([expect.stringMatching(/submodules are empty .*: lib$/)]);
    const entries = await own.listFiles(baseOid, ["lib"]);
    expect(entries).toEqual([{ path: "lib", mode: "160000", oid: head(join(at, "library")), size: 0 }]);
  });

  test("keeps files in Git LFS works with the pointers, and says so", async () => {
    const user = userRepository();
    const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
    commitFiles(user, {
      "assets/.gitattributes": "*.png filter=lfs diff=lfs merge=lfs -text\n",
      "assets/a.png": pointer,
    });
    const own = await openFor(user);
    const { baseOid, notes } = await own.importBase("loop1");
    expect(notes).toEqual([expect.stringContaining("Git LFS")]);
    expect((await own.readFile(baseOid, "assets/a.png"))?.toString()).toBe(pointer);
  });

  test("has CRLF and a conversion in its attributes works with the bytes as they are stored", async () => {
    const user = userRepository();
    userGit(user, "config", "core.autocrlf", "true");
    writeFileSync(join(user, ".gitattributes"), "*.bat eol=crlf\n*.raw -text\n");
    commitFiles(user, { "run.bat": "one\r\ntwo\r\n", "x.raw": "one\r\ntwo\r\n" });
    const own = await openFor(user);
    const { baseOid } = await own.importBase("loop1");
    expect((await own.readFile(baseOid, "run.bat"))?.toString()).toBe("one\ntwo\n");
    expect((await own.readFile(baseOid, "x.raw"))?.toString()).toBe("one\r\ntwo\r\n");
  });

  test("has names with newlines, quotes, UTF-8 and worse works", async () => {
    const user = userRepository();
    const names = ['a "b"', "new\nline", "grüße/日本.txt", "-option", ":(glob)*", "tab\there", "back\\slash"];
    commitFiles(user, Object.fromEntries(names.map((name) => [name, `${name}\n`])));
    const blob = userGitWith(user, "odd\n", "hash-object", "-w", "--stdin");
    const odd = Buffer.concat([Buffer.from(`100644 ${blob}\tlatin-`), Buffer.from([0xfc, 0])]);
    userGitWith(user, odd, "update-index", "-z", "--index-info");
    userGit(user, "commit", "-q", "-m", "odd");
    const own = await openFor(user);
    const { baseOid } = await own.importBase("loop1");
    const listed = (await own.listFiles(baseOid)).map(({ path }) => path);
    expect(listed).toEqual(expect.arrayContaining([...names, "latin-\udcfc"]));
    for (const name of names) expect((await own.readFile(baseOid, name))?.toString()).toBe(`${name}\n`);
  });

  test("is a partial clone that lacks files is refused, with the command that gets them", async () => {
    const at = scratchFolder();
    const upstream = makeRepository(join(at, "upstream"));
    userGit(upstream, "config", "uploadpack.allowFilter", "true");
    commitFiles(upstream, { "README.md": "second\n" });
    const user = join(at, "user");
    userGit(at, "clone", "-q", "--filter=blob:none", `file://${upstream}`, user);
    const own = await openFor(user);
    await expect(own.importBase("loop1")).rejects.toMatchObject({
      code: "unsupported",
      remedy: expect.stringContaining("fetch --refetch"),
    });
    userGit(user, "fetch", "-q", "--refetch", "--no-filter", "origin");
    expect((await own.importBase("loop1")).baseOid).toBe(head(upstream));
  });

  test("is none, or a folder within one, is refused", async () => {
    const user = userRepository();
    const remedy = expect.any(String);
    await expect(openFor(join(user, "src"))).rejects.toMatchObject({ code: "workspace_refused", remedy });
    await expect(openFor(scratchFolder())).rejects.toMatchObject({ code: "workspace_refused", remedy });
  });

  test("has a branch in the way of the result's is refused before any work", async () => {
    const user = userRepository();
    userGit(user, "branch", "tiger");
    await expect((await openFor(user)).importBase("loop1")).rejects.toMatchObject({
      code: "not_allowed_now",
      remedy: expect.stringContaining("branch -m tiger"),
    });
  });

  test("was made anew with another object format is refused", async () => {
    const user = userRepository();
    await openFor(user);
    const other = makeRepository(join(user, "../other"), "--object-format=sha256");
    rmSync(join(user, ".git"), { recursive: true });
    renameSync(join(other, ".git"), join(user, ".git"));
    await expect((await openFor(user)).importBase("loop1")).rejects.toMatchObject({ code: "git_failed" });
  });

  test("names programs to be run has none of them run", async () => {
    const user = userRepository();
    const canary = join(user, "../canary");
    const trap = join(user, ".git/trap");
    writeFileSync(trap, `#!/bin/sh\ntouch '${canary}'\ncat\n`);
    chmodSync(trap, 0o755);
    commitFiles(user, { ".gitattributes": "* filter=trap diff=trap\n" });
    for (const name of [
      "core.fsmonitor",
      "diff.external",
      "filter.trap.clean",
      "diff.trap.textconv",
      "core.pager",
    ]) {
      userGit(user, "config", name, trap);
    }
    mkdirSync(join(user, ".git/hooks"), { recursive: true });
    writeFileSync(join(user, ".git/hooks/reference-transaction"), readFileSync(trap), { mode: 0o755 });
    writeFileSync(join(user, "README.md"), "changed, so that filters are asked\n");
    const own = await openFor(user);
    const { baseOid } = await own.importBase("loop1");
    await own.project({ id: "loop1", branch: "tiger/loop1", branchOid: baseOid, projectedOid: null });
    const there = () => readdirSync(join(user, "..")).includes("canary");
    expect(there()).toBe(false);
    userGit(user, "status");
    expect(there()).toBe(true);
  });
});

test("what a kill in the middle of the making leaves is no repository, and is in nobody's way", async () => {
  const user = userRepository();
  const half = join(user, "../state/repositories/repo-1.git.0123456789ab.tmp");
  mkdirSync(half, { recursive: true });
  writeFileSync(join(half, "HEAD"), "ref: refs/he");
  const own = await openFor(user);
  expect((await own.importBase("loop1")).baseOid).toBe(head(user));
});
