import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
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
import { type PutCommitOptions, putCommit } from "./put-commit.ts";

interface Scene {
  at: string;
  host: string;
  path: string;
  /** A later commit of the host's. */
  later: string;
  put: (commit: string, options?: Pick<PutCommitOptions, "believed">) => Promise<void>;
  inside: ReturnType<typeof localInside>;
}

/** A clone inside, with what a set-up leaves: files that git ignores. */
async function scene(): Promise<Scene> {
  const at = scratchFolder();
  const host = makeRepository(join(at, "host"));
  const path = join(at, "inside");
  commitFile(host, ".gitignore", "node_modules/\n*.log\n");
  for (let n = 0; n < 50; n += 1) writeFileSync(join(host, `file-${n}`), `content ${n}\n`);
  const first = commitFile(host, "last", "1\n");
  const inside = localInside(at, { HOME: at, GIT_CONFIG_NOSYSTEM: "1" });
  await putRepository(inside, { repository: host, path, commit: first });
  mkdirSync(join(path, "node_modules/left-pad"), { recursive: true });
  writeFileSync(join(path, "node_modules/left-pad/index.js"), "left");
  const later = commitFile(host, "src/main.ts", "console.log(2);\n");
  const put: Scene["put"] = (commit, options = {}) =>
    putCommit(inside, { repository: host, path, commit, ...options });
  return { at, host, path, later, put, inside };
}

/** What a clone that was made at this commit would be, whatever was there before. */
function expectAt({ host, path }: Pick<Scene, "host" | "path">, commit: string): void {
  expect(userGit(path, "rev-parse", "HEAD")).toBe(commit);
  expect(userGit(path, "status", "--porcelain")).toBe("");
  expect(userGit(path, "log", "--format=%H")).toBe(userGit(host, "log", "--format=%H", commit));
  expect(userGit(path, "fsck", "--strict", "--no-dangling")).toBe("");
  // Looked at with an index of the host's own, which has seen none of the files.
  const index = join(host, ".git/index-of-the-test");
  const asHost = ["--git-dir", join(host, ".git"), "--work-tree", path];
  const env = { ...process.env, GIT_INDEX_FILE: index };
  const run = (...args: string[]) => spawnSync("git", [...asHost, ...args], { env, encoding: "utf8" }).stdout;
  run("read-tree", commit);
  expect(run("diff", "--name-only", commit)).toBe("");
  rmSync(index);
}

/** How many objects came with the last bundle. */
function arrived({ path }: Pick<Scene, "path">): number[] {
  const packs = join(path, ".git/objects/pack");
  const found = readdirSync(packs).filter((name) => name.endsWith(".idx"));
  return found
    .map((name) => userGit(path, "verify-pack", "--verbose", join(packs, name)).match(/^[0-9a-f]{40} /gm))
    .map((lines) => lines?.length ?? 0)
    .sort((one, other) => one - other);
}

describe("a clone is brought to another commit", () => {
  test("with what git ignores, and only what it lacks travels", async () => {
    const it = await scene();
    const untouched = statSync(join(it.path, "file-7")).mtimeMs;
    await it.put(it.later);
    expectAt(it, it.later);
    expect(readFileSync(join(it.path, "node_modules/left-pad/index.js"), "utf8")).toBe("left");
    expect(statSync(join(it.path, "file-7")).mtimeMs).toBe(untouched);
    // A commit, two trees and a blob, and what the thin pack took of the clone's own.
    expect(arrived(it)[0]).toBeLessThan(10);
  });

  test("and back to an earlier one, for which nothing travels", async () => {
    const it = await scene();
    const first = userGit(it.path, "rev-parse", "HEAD");
    await it.put(it.later);
    const packs = arrived(it).length;
    await it.put(first);
    expectAt(it, first);
    expect(arrived(it)).toHaveLength(packs);
  });

  test("as if nobody had worked there: no change, branch, stash, tag, setting or hook of theirs stays", async () => {
    const it = await scene();
    writeFileSync(join(it.path, "README.md"), "changed\n");
    userGit(it.path, "stash");
    commitFile(it.path, "theirs", "committed\n");
    userGit(it.path, "branch", "theirs");
    userGit(it.path, "tag", "theirs");
    userGit(it.path, "config", "core.hooksPath", "hooks");
    userGit(it.path, "remote", "add", "origin", "https://example.com/theirs.git");
    writeFileSync(join(it.path, "README.md"), "staged\n");
    userGit(it.path, "add", "README.md");
    rmSync(join(it.path, "file-3"));
    mkdirSync(join(it.path, "new"));
    writeFileSync(join(it.path, "new/untracked"), "left over\n");
    writeFileSync(join(it.path, "debug.log"), "ignored\n");
    writeFileSync(join(it.path, ".git/hooks/post-checkout"), `#!/bin/sh\ntouch ${it.at}/ran\n`);
    chmodSync(join(it.path, ".git/hooks/post-checkout"), 0o755);
    await it.put(it.later);
    expectAt(it, it.later);
    expect(userGit(it.path, "for-each-ref")).toMatch(/^\S+ commit\trefs\/heads\/main$/);
    expect(userGit(it.path, "remote")).toBe("");
    expect(readFileSync(join(it.path, ".git/config"), "utf8")).not.toContain("hooks");
    expect(existsSync(join(it.path, ".git/hooks/post-checkout"))).toBe(false);
    expect(existsSync(join(it.path, "new"))).toBe(false);
    expect(existsSync(join(it.path, "debug.log"))).toBe(true);
    expect(existsSync(join(it.at, "ran"))).toBe(false);
    expect(arrived(it)[0]).toBeLessThan(10);
  });

  test("although its index was told to look away", async () => {
    const it = await scene();
    for (const name of ["README.md", "file-1"]) writeFileSync(join(it.path, name), "hidden change\n");
    userGit(it.path, "update-index", "--assume-unchanged", "README.md");
    userGit(it.path, "update-index", "--skip-worktree", "file-1");
    await it.put(it.later);
    expectAt(it, it.later);
  });

  test("with what it was told to ignore by itself", async () => {
    const it = await scene();
    appendFileSync(join(it.path, ".git/info/exclude"), "/built\n");
    writeFileSync(join(it.path, "built"), "by the set-up\n");
    await it.put(it.later);
    expectAt(it, it.later);
    expect(readFileSync(join(it.path, "built"), "utf8")).toBe("by the set-up\n");
  });

  test("without what the new commit no longer ignores", async () => {
    const it = await scene();
    writeFileSync(join(it.path, "debug.log"), "ignored so far\n");
    await it.put(commitFile(it.host, ".gitignore", "node_modules/\n"));
    expect(existsSync(join(it.path, "debug.log"))).toBe(false);
    expect(existsSync(join(it.path, "node_modules/left-pad/index.js"))).toBe(true);
  });

  test("whatever stands where a file of the commit's belongs", async () => {
    const it = await scene();
    const elsewhere = join(it.at, "elsewhere");
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, "main.ts"), "not yours\n");
    rmSync(join(it.path, "src"), { recursive: true });
    symlinkSync(elsewhere, join(it.path, "src"));
    rmSync(join(it.path, "README.md"));
    mkdirSync(join(it.path, "README.md/node_modules"), { recursive: true });
    writeFileSync(join(it.path, "README.md/node_modules/file"), "");
    await it.put(it.later);
    expectAt(it, it.later);
    expect(lstatSync(join(it.path, "src")).isDirectory()).toBe(true);
    expect(readFileSync(join(elsewhere, "main.ts"), "utf8")).toBe("not yours\n");
  });

  const ruins: [string, (it: Scene) => void][] = [
    ["has lost its objects", ({ path }) => rmSync(join(path, ".git/objects"), { recursive: true })],
    ["has lost one object", ({ path, host }) => loseBlob(path, userGit(host, "rev-parse", "HEAD:last"))],
    ["has a folder of packs elsewhere", (it) => moveAway(it, ".git/objects/pack")],
    ["is a link", (it) => moveAway(it, ".git")],
    ["is a file that points nowhere", ({ path }) => replaceWithFile(join(path, ".git"))],
    ["has a HEAD that is none", ({ path }) => writeFileSync(join(path, ".git/HEAD"), "nothing\n")],
    ["has another object format", ({ path }) => otherFormat(path)],
    ["has no commit yet", ({ path }) => otherFormat(path, "sha1")],
  ];
  test.each(ruins)("although its repository %s", async (_what, ruin) => {
    const it = await scene();
    ruin(it);
    await it.put(it.later);
    expectAt(it, it.later);
    expect(existsSync(join(it.path, "node_modules/left-pad/index.js"))).toBe(true);
  });

  test("as far as the host's history goes now, if that was shallow or is", async () => {
    const it = await scene();
    const shallow = join(it.at, "shallow");
    userGit(it.at, "clone", "-q", "--depth=2", `file://${it.host}`, shallow);
    await putCommit(it.inside, { repository: shallow, path: it.path, commit: it.later });
    expect(userGit(it.path, "rev-list", "--count", "HEAD")).toBe("2");
    expect(userGit(it.path, "fsck")).not.toContain("missing");
    await it.put(it.later);
    expectAt(it, it.later);
    expect(userGit(it.path, "rev-parse", "--is-shallow-repository")).toBe("false");
  });

  test("from a bare repository, on no branch", async () => {
    const it = await scene();
    const bare = join(it.at, "bare.git");
    userGit(it.at, "clone", "-q", "--bare", it.host, bare);
    userGit(bare, "symbolic-ref", "HEAD", "refs/heads/none");
    const before = fingerprint(bare);
    await putCommit(it.inside, { repository: bare, path: it.path, commit: it.later });
    expectAt(it, it.later);
    expect(userGit(it.path, "branch", "--show-current")).toBe("");
    expect(fingerprint(bare)).toEqual(before);
  });

  test("with tools that only root writes, not with one that somebody left in a folder of the user's", async () => {
    const it = await scene();
    const planted = join(it.at, "bin");
    mkdirSync(planted);
    for (const tool of ["git", "rm", "sed"]) {
      writeFileSync(join(planted, tool), `#!/bin/sh\ntouch ${it.at}/ran\n`, { mode: 0o755 });
    }
    const env = { HOME: it.at, GIT_CONFIG_NOSYSTEM: "1", PATH: `${planted}:${process.env["PATH"]}` };
    await putCommit(localInside(it.at, env), { repository: it.host, path: it.path, commit: it.later });
    expectAt(it, it.later);
    expect(existsSync(join(it.at, "ran"))).toBe(false);
  });

  test("with the submodules that a set-up has fetched there, at the commit that is recorded now", async () => {
    const it = await scene();
    const library = makeRepository(join(it.at, "library"));
    userGit(it.host, "submodule", "--quiet", "add", library, "libs/library");
    const first = commitFile(it.host, "with", "library\n");
    await it.put(first);
    userGit(it.path, "submodule", "--quiet", "update", "--init");
    writeFileSync(join(it.path, ".git/modules/libs/library/info/exclude"), "/kept\n");
    writeFileSync(join(it.path, "libs/library/kept"), "");
    userGit(join(it.host, "libs/library"), "checkout", "-q", "HEAD~1");
    const second = commitFile(it.host, "older", "library\n");
    userGit(it.host, "submodule", "--quiet", "deinit", "--force", "libs/library");
    await it.put(second);
    expect(userGit(it.path, "status", "--porcelain")).toBe("");
    expect(userGit(join(it.path, "libs/library"), "rev-parse", "HEAD")).toBe(
      userGit(library, "rev-parse", "HEAD~1"),
    );
    expect(existsSync(join(it.path, "libs/library/kept"))).toBe(true);
  });
});

describe("a clone whose objects were made to lie", () => {
  test("is put right when nothing of it is believed", async () => {
    const it = await scene();
    const blob = userGit(it.host, "rev-parse", `${it.later}:README.md`);
    loseBlob(it.path, blob, "blob 7\0forged\n");
    writeFileSync(join(it.path, "README.md"), "forged\n");
    await it.put(it.later, { believed: "nothing" });
    expectAt(it, it.later);
    expect(existsSync(join(it.path, "node_modules/left-pad/index.js"))).toBe(true);
  });
});

describe("a clone in which nobody has worked", () => {
  test("goes on from there: its refs are those of the new commit, and nothing is looked at twice", async () => {
    const it = await scene();
    const first = userGit(it.path, "rev-parse", "HEAD");
    userGit(it.host, "tag", "v1", first);
    const there = { kind: "untouched", commit: first } as const;
    const wanted = { repository: it.host, path: it.path, there };
    await putRepository(it.inside, { ...wanted, commit: it.later });
    expectAt(it, it.later);
    expect(userGit(it.path, "tag")).toBe("v1");
    const back = { ...wanted, there: { kind: "untouched", commit: it.later } } as const;
    // Before there was anything to ignore.
    await putRepository(it.inside, { ...back, commit: userGit(it.host, "rev-parse", "HEAD~3") });
    expect(userGit(it.path, "for-each-ref")).toBe("");
    expect(readdirSync(it.path).sort()).toEqual([".git", "README.md", "src"]);
  });
});

function loseBlob(path: string, oid: string, content?: string): void {
  const packs = join(path, ".git/objects/pack");
  const moved = join(path, ".git/moved");
  renameSync(packs, moved);
  mkdirSync(packs);
  for (const name of readdirSync(moved).filter((file) => file.endsWith(".pack"))) {
    spawnSync("git", ["-C", path, "unpack-objects", "-q"], { input: readFileSync(join(moved, name)) });
  }
  rmSync(moved, { recursive: true });
  const loose = join(path, ".git/objects", oid.slice(0, 2), oid.slice(2));
  rmSync(loose);
  if (content !== undefined) writeFileSync(loose, deflateSync(content));
}

function moveAway({ at, path }: Scene, name: string): void {
  renameSync(join(path, name), join(at, "moved"));
  symlinkSync(join(at, "moved"), join(path, name));
}

function replaceWithFile(path: string): void {
  rmSync(path, { recursive: true });
  writeFileSync(path, "gitdir: /nonexistent\n");
}

function otherFormat(path: string, format = "sha256"): void {
  rmSync(join(path, ".git"), { recursive: true });
  userGit(path, "init", "-q", `--object-format=${format}`);
}
