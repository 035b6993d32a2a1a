import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
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
import { fetchCommits } from "./fetch.ts";
import { unfetchedCommits } from "./unfetched.ts";

/** A repository of the user's, and a clone of it that an agent has. */
async function scene(make: (host: string, at: string) => unknown = (host) => makeRepository(host)) {
  const at = scratchFolder();
  const host = join(at, "host");
  const path = join(at, "inside");
  make(host, at);
  mkdirSync(path);
  const scratch = join(at, "scratch");
  mkdirSync(scratch);
  const inside = localInside(at, { HOME: at, GIT_CONFIG_NOSYSTEM: "1" });
  const { commit } = await putRepository(inside, { repository: host, path });
  const options = { repository: host, name: "box", path, base: commit ?? undefined, scratch };
  return {
    at,
    host,
    path,
    scratch,
    fetch: (more: object = {}) => fetchCommits(inside, { ...options, ...more }),
    unfetched: () => unfetchedCommits(inside, options),
    ref: (name: string) => userGit(host, "rev-parse", `refs/sandboxes/box/${name}`),
  };
}

/** Where objects and the refs of sandboxes lie: all else must stay as it is. */
const ours = (path: string): boolean => /^\.git(\/objects|\/refs(\/sandboxes)?(\/|$)|$)/.test(path);

describe("commits come out", () => {
  test("to refs of the sandbox, and nothing else changes on the host", async () => {
    const { host, path, scratch, fetch, ref } = await scene();
    writeFileSync(join(host, "README.md"), "dirty\n");
    userGit(host, "stash");
    writeFileSync(join(host, "README.md"), "dirtier\n");
    const main = commitFile(path, "new.txt", "new\n");
    userGit(path, "checkout", "-q", "-b", "feature/x");
    const feature = commitFile(path, "more.txt", "more\n");
    const before = fingerprint(host, ours);
    const result = await fetch();
    expect(result).toEqual({
      refs: [
        { name: "refs/sandboxes/box/feature/x", oid: feature },
        { name: "refs/sandboxes/box/main", oid: main },
        { name: "refs/sandboxes/box/HEAD", oid: feature },
      ],
      commits: 2,
      submodules: [],
    });
    expect([ref("main"), ref("feature/x"), ref("HEAD")]).toEqual([main, feature, feature]);
    const after = fingerprint(host, ours);
    for (const [name, value] of Object.entries(before)) expect([name, after[name]]).toEqual([name, value]);
    expect(Object.keys(after).filter((name) => !(name in before) && !ours(name))).toEqual([]);
    expect(userGit(host, "fsck", "--strict")).not.toContain("error");
    expect(readdirSync(scratch)).toEqual([]);
  });

  test("again and again, only what is new", async () => {
    const { path, fetch, ref } = await scene();
    commitFile(path, "1", "1");
    await expect(fetch()).resolves.toMatchObject({ commits: 1 });
    await expect(fetch()).resolves.toMatchObject({ commits: 0, refs: [{}, {}] });
    const second = commitFile(path, "2", "2");
    await expect(fetch()).resolves.toMatchObject({ commits: 1 });
    expect(ref("main")).toBe(second);
  });

  test("when history was rewritten, when a branch went, and when its name became a folder", async () => {
    const { host, path, fetch, ref } = await scene();
    userGit(path, "branch", "gone");
    userGit(path, "branch", "topic");
    commitFile(path, "1", "1");
    await fetch();
    userGit(path, "commit", "-q", "--amend", "-m", "amended");
    userGit(path, "branch", "-D", "gone", "topic");
    userGit(path, "branch", "topic/a");
    await fetch();
    expect(ref("main")).toBe(userGit(path, "rev-parse", "main"));
    expect(ref("gone")).toBe(userGit(host, "rev-parse", "HEAD"));
    expect(ref("topic/a")).toBe(ref("main"));
  });

  test("of more than a hundred objects as a pack", async () => {
    const { host, path, fetch, ref } = await scene();
    for (let n = 0; n < 150; n += 1) writeFileSync(join(path, `file-${n}`), `${n}\n`);
    commitFile(path, "last", "last\n");
    await fetch();
    expect(userGit(host, "count-objects", "-v")).toMatch(/^packs: 1$/m);
    expect(userGit(host, "show", `${ref("main")}:file-149`)).toBe("149");
  });

  test("without the base, when the user has thrown it away", async () => {
    const { host, path, fetch } = await scene();
    const tip = commitFile(path, "1", "1");
    rmSync(join(host, ".git"), { recursive: true });
    userGit(host, "init", "-q");
    await expect(fetch()).resolves.toMatchObject({ commits: 3 });
    expect(userGit(host, "rev-parse", "refs/sandboxes/box/main")).toBe(tip);
  });

  test("of a shallow clone", async () => {
    const { host, path, fetch } = await scene((folder, at) => {
      makeRepository(join(at, "upstream"));
      for (const n of [3, 4, 5]) commitFile(join(at, "upstream"), `file-${n}`, `${n}`);
      userGit(at, "clone", "-q", "--depth=2", `file://${at}/upstream`, folder);
    });
    commitFile(path, "file-3", "changed");
    await expect(fetch()).resolves.toMatchObject({ commits: 1 });
    expect(userGit(host, "log", "--format=%s", "-1", "refs/sandboxes/box/main")).toBe("change file-3");
  });

  test("with sha256 objects", async () => {
    const { path, fetch } = await scene((host) => makeRepository(host, "--object-format=sha256"));
    commitFile(path, "1", "1");
    await expect(fetch()).resolves.toMatchObject({ commits: 1 });
  });

  test("of a repository that had none", async () => {
    const { host, path, fetch } = await scene((folder) => {
      mkdirSync(folder);
      userGit(folder, "init", "-q");
    });
    await expect(fetch()).resolves.toMatchObject({ refs: [], commits: 0 });
    commitFile(path, "1", "1");
    await expect(fetch()).resolves.toMatchObject({ commits: 1 });
    expect(userGit(host, "for-each-ref", "--format=%(refname)")).toContain("refs/sandboxes/box/main");
  });

  test("of submodules, into theirs", async () => {
    const { host, path, fetch, unfetched } = await scene((folder, at) => {
      makeRepository(join(at, "library"));
      makeRepository(folder);
      userGit(folder, "submodule", "--quiet", "add", `${at}/library`, "lib");
      userGit(folder, "commit", "-q", "-m", "library");
    });
    const inner = commitFile(join(path, "lib"), "new", "new\n");
    await expect(unfetched()).resolves.toMatchObject({
      commits: [{ oid: inner, submodule: "lib" }],
      uncommitted: true,
    });
    await expect(fetch()).resolves.toMatchObject({ submodules: [{ path: "lib", commits: 1 }] });
    expect(userGit(join(host, "lib"), "rev-parse", "refs/sandboxes/box/HEAD")).toBe(inner);
  });
});

describe("what is not fetched yet", () => {
  test("is named, newest first, and no longer after the fetch", async () => {
    const { path, fetch, unfetched } = await scene();
    await expect(unfetched()).resolves.toEqual({ commits: [], uncommitted: false });
    commitFile(path, "1", "1");
    const second = commitFile(path, "2", "2");
    const { commits } = await unfetched();
    expect(commits.map(({ subject }) => subject)).toEqual(["change 2", "change 1"]);
    expect(commits[0]).toEqual({ oid: second, subject: "change 2", submodule: null });
    await fetch();
    await expect(unfetched()).resolves.toEqual({ commits: [], uncommitted: false });
  });

  test("includes a detached HEAD, changes in the work tree, and a stash", async () => {
    const { path, unfetched } = await scene();
    userGit(path, "checkout", "-q", "--detach");
    commitFile(path, "1", "1");
    writeFileSync(join(path, "untracked"), "x");
    await expect(unfetched()).resolves.toMatchObject({
      commits: [{ subject: "change 1" }],
      uncommitted: true,
    });
    userGit(path, "stash", "-u");
    await expect(unfetched()).resolves.toMatchObject({ uncommitted: true });
  });

  test("is told in words that move no cursor", async () => {
    const { path, unfetched } = await scene();
    userGit(path, "commit", "-q", "--allow-empty", "-m", "\u001b[2Jevil\u202e\u0007subject");
    const { commits } = await unfetched();
    expect(commits[0]?.subject).toBe("[2Jevil subject");
  });

  test("is named also when the user's repository is gone", async () => {
    const { host, path, unfetched } = await scene();
    commitFile(path, "1", "1");
    rmSync(host, { recursive: true });
    await expect(unfetched()).resolves.toMatchObject({ commits: [{ subject: "change 1" }] });
  });

  test("cannot be told without a repository inside", async () => {
    const { path, unfetched, fetch } = await scene();
    rmSync(join(path, ".git"), { recursive: true });
    await expect(unfetched()).rejects.toMatchObject({ code: "git_failed", remedy: expect.any(String) });
    await expect(fetch()).rejects.toMatchObject({ code: "git_failed", remedy: expect.any(String) });
  });
});
