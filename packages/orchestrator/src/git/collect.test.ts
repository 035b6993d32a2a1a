import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  commitFiles,
  makeRepository,
  scratchFolder,
  userGit,
  userGitWith,
} from "../../../../tests/setup/user-git.ts";
import { localSandbox, openFor } from "./git-fixture.ts";

afterEach(() => void vi.unstubAllEnvs());

/** A loop's repository, and the clone of an agent at the base. */
async function scene(...init: readonly string[]) {
  const at = scratchFolder();
  const user = makeRepository(join(at, "user"), ...init);
  const own = await openFor(user);
  const { baseOid: base } = await own.importBase("loop1");
  const path = join(at, "inside");
  userGit(at, "clone", "-q", user, path);
  const collect = (more: object = {}) =>
    own.collect(localSandbox(at), { name: "loop-loop1-shell-1", path, base, ...more });
  return { at, user, own, base, path, collect };
}

/** Nothing of it stays: no ref, nothing half-done. */
function expectNothingLeft(own: { path: string }): void {
  const refs = join(own.path, "refs/sandboxes");
  expect(existsSync(refs) ? readdirSync(refs, { recursive: true }) : []).toEqual([]);
  expect(readdirSync(join(own.path, "scratch"))).toEqual([]);
}

describe("what an agent committed", () => {
  test("is collected by its HEAD, on whatever branch that is", async () => {
    const { own, base, path, collect } = await scene();
    expect(await collect()).toEqual({ headOid: base });
    commitFiles(path, { "a.txt": "a\n" });
    userGit(path, "checkout", "-q", "-b", "feature/x");
    const head = commitFiles(path, { "b.txt": "b\n" });
    userGit(path, "branch", "-q", "-D", "main");
    expect(await collect()).toEqual({ headOid: head });
    expect((await own.changes(base, head)).map((change) => change.path)).toEqual(["a.txt", "b.txt"]);
    expect(userGit(own.path, "for-each-ref", "--format=%(refname)")).toBe("refs/opentiger/loop1/base");
    expectNothingLeft(own);
  });

  test("is collected with merges, a detached HEAD and sha256", async () => {
    const { base, path, collect } = await scene("--object-format=sha256");
    userGit(path, "checkout", "-q", "-b", "side");
    commitFiles(path, { "side.txt": "s\n" });
    userGit(path, "checkout", "-q", "--detach", base);
    commitFiles(path, { "main.txt": "m\n" });
    userGit(path, "merge", "-q", "--no-edit", "side");
    expect(await collect()).toEqual({ headOid: userGit(path, "rev-parse", "HEAD") });
  });

  test("is collected by two at once, and after one was killed on the way", async () => {
    const { own, path, collect } = await scene();
    const headOid = commitFiles(path, { "a.txt": "a\n" });
    const left = join(own.path, "refs/sandboxes/loop-loop1-shell-1.0123456789ab");
    execFileSync("mkdir", ["-p", left]);
    writeFileSync(join(left, "HEAD.lock"), "");
    expect(await Promise.all([collect(), collect()])).toEqual([{ headOid }, { headOid }]);
    await own.dropLoop("loop1");
    expect(existsSync(left)).toBe(false);
  });

  test("is collected also where the user's git takes no bare repository that is not named", async () => {
    const { at, path, collect } = await scene();
    const headOid = commitFiles(path, { "a.txt": "a\n" });
    writeFileSync(join(at, "settings"), "[safe]\n\tbareRepository = explicit\n");
    vi.stubEnv("GIT_CONFIG_GLOBAL", join(at, "settings"));
    expect(await collect()).toEqual({ headOid });
  });

  test("is refused where it does not build on the base", async () => {
    const { own, path, collect } = await scene();
    userGit(path, "commit", "-q", "--amend", "-m", "another past");
    const amended = {
      code: "commits_refused",
      message: expect.stringContaining("does not build on"),
      remedy: expect.any(String),
    };
    await expect(collect()).rejects.toMatchObject(amended);
    userGit(path, "checkout", "-q", "--orphan", "fresh");
    userGit(path, "commit", "-q", "-m", "no past");
    await expect(collect()).rejects.toMatchObject(amended);
    userGit(path, "checkout", "-q", "main~1");
    await expect(collect()).rejects.toMatchObject(amended);
    expectNothingLeft(own);
  });

  test("is refused where the past is faked by a graft, a replacement or a shallow file", async () => {
    const { own, base, path, collect } = await scene();
    const orphan = userGit(path, "commit-tree", "-m", "orphan", "HEAD^{tree}");
    userGit(path, "checkout", "-q", "--detach", orphan);
    const wanted = userGit(path, "commit-tree", "-p", base, "-m", "orphan", "HEAD^{tree}");
    userGit(path, "replace", orphan, wanted);
    expect(userGit(path, "merge-base", base, "HEAD")).toBe(base);
    await expect(collect()).rejects.toMatchObject({ code: "commits_refused" });
    userGit(path, "replace", "-d", orphan);
    writeFileSync(join(path, ".git/shallow"), `${orphan}\n`);
    await expect(collect()).rejects.toMatchObject({ code: "commits_refused" });
    expectNothingLeft(own);
  });

  test("is refused where there is nothing, or no repository any more", async () => {
    const { own, path, collect } = await scene();
    userGit(path, "checkout", "-q", "--orphan", "fresh");
    await expect(collect()).rejects.toMatchObject({
      code: "commits_refused",
      message: expect.stringContaining("no commit"),
    });
    rmSync(join(path, ".git"), { recursive: true });
    await expect(collect()).rejects.toMatchObject({ code: "commits_refused", remedy: expect.any(String) });
    expectNothingLeft(own);
  });

  test("is refused where a tree holds what git itself would obey", async () => {
    const { own, path, collect } = await scene();
    const blob = userGitWith(path, "#!/bin/sh\n", "hash-object", "-w", "--stdin");
    for (const name of [".git", ".GIT", "git~1", ".g\u200cit"]) {
      const raw = Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, "hex")]);
      const tree = userGitWith(path, raw, "hash-object", "-t", "tree", "-w", "--literally", "--stdin");
      const commit = userGit(path, "commit-tree", "-p", "main", "-m", "crafted", tree);
      userGit(path, "update-ref", "--no-deref", "HEAD", commit);
      await expect(collect()).rejects.toMatchObject({ code: "commits_refused" });
      userGit(path, "symbolic-ref", "HEAD", "refs/heads/main");
    }
    expectNothingLeft(own);
  });

  test("ends when it is cancelled", async () => {
    const { own, collect } = await scene();
    await expect(collect({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "cancelled" });
    expectNothingLeft(own);
  });
});

test("links and submodules come as what they are, for the rules to refuse", async () => {
  const { own, base, path, collect } = await scene();
  symlinkSync("/etc/passwd", join(path, "link"));
  makeRepository(join(path, "inner"));
  userGit(path, "add", "-A");
  userGit(path, "commit", "-q", "-m", "odd");
  const { headOid } = await collect();
  const changes = await own.changes(base, headOid);
  expect(
    changes.map(({ path: name, newMode, linkTarget, bytes }) => [name, newMode, linkTarget, bytes]),
  ).toEqual([
    ["inner", "160000", null, 0],
    ["link", "120000", "/etc/passwd", 11],
  ]);
});
