import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  commitFiles,
  fingerprintOfRest,
  makeRepository,
  scratchFolder,
  userGit,
} from "../../../../tests/setup/user-git.ts";
import { isProjected, openFor } from "./git-fixture.ts";
import type { ProjectedLoop, Projection } from "./projection.ts";

const author = { name: "Ada", email: "ada@example.com" };
const none = "0".repeat(40);

/** A loop with three commits on its branch, none of which the user's repository has. */
async function scene(make: (folder: string) => string = (folder) => makeRepository(folder)) {
  const user = make(join(scratchFolder(), "user"));
  const own = await openFor(user);
  const { baseOid } = await own.importBase("loop1");
  const commits = [baseOid];
  for (const name of ["one", "two", "three"]) {
    const parent = commits.at(-1) ?? "";
    const tree = await own.tree(parent);
    const date = new Date("2026-01-01");
    commits.push(await own.commit({ tree, parents: [parent], message: `${name}\n`, author, date }));
  }
  const [, one = "", two = "", three = ""] = commits;
  const row = (branchOid: string, projectedOid: string | null): ProjectedLoop => {
    return { id: "loop1", branch: "tiger/loop1", branchOid, projectedOid };
  };
  const project = (branchOid: string, projectedOid: string | null): Promise<Projection> =>
    own.project(row(branchOid, projectedOid));
  const shown = (): string =>
    userGit(user, "for-each-ref", "--format=%(objectname)", "refs/heads/tiger/loop1");
  return { user, own, baseOid, one, two, three, row, project, shown };
}

describe("the loop's branch in the user's repository", () => {
  test("appears as one ref and its objects: all else is bit for bit what it was", async () => {
    const { user, three, project, shown } = await scene();
    writeFileSync(join(user, "README.md"), "dirty\n");
    writeFileSync(join(user, "untracked"), "x\n");
    userGit(user, "stash", "-u");
    writeFileSync(join(user, "README.md"), "dirtier\n");
    userGit(user, "add", "README.md");
    const status = userGit(user, "status", "--porcelain");
    const before = fingerprintOfRest(user);
    expect(await project(three, null)).toEqual({ projected: three });
    const after = fingerprintOfRest(user);
    for (const [path, print] of Object.entries(before)) expect([path, after[path]]).toEqual([path, print]);
    expect(Object.keys(after).filter((path) => !(path in before) && !isProjected(path))).toEqual([]);
    expect(shown()).toBe(three);
    expect(existsSync(join(user, ".git/logs/refs/heads/tiger"))).toBe(false);
    expect(userGit(user, "status", "--porcelain")).toBe(status);
    expect(userGit(user, "fsck", "--strict")).not.toContain("error");
  });

  test("goes forward, and is where it is when it is asked for again", async () => {
    const { one, two, project, shown } = await scene();
    expect(await project(one, null)).toEqual({ projected: one });
    expect(await project(two, one)).toEqual({ projected: two });
    expect(await project(two, one)).toEqual({ projected: two });
    expect(await project(two, two)).toEqual({ projected: two });
    expect(shown()).toBe(two);
  });

  test("goes on when it was moved and nobody could write that down", async () => {
    const { one, two, three, project, shown } = await scene();
    await project(two, null);
    // The row still says that it was never shown, or that it was at `one`.
    expect(await project(three, one)).toEqual({ projected: three });
    expect(shown()).toBe(three);
  });

  test("does not go back for somebody whose row is old", async () => {
    const { own, one, two, three, project, shown } = await scene();
    await project(three, null);
    expect(await project(one, null)).toEqual({ projected: three });
    expect(await project(two, one)).toEqual({ projected: three });
    expect(shown()).toBe(three);
    expect((await own.pins("loop1")).get("branch")).toBe(three);
  });

  test("ends up at the newest, whoever shows it at the same time", async () => {
    const { own, one, two, three, project, shown } = await scene();
    await Promise.all([project(one, null), project(three, null), project(two, null), project(three, null)]);
    expect(shown()).toBe(three);
    expect((await own.pins("loop1")).get("branch")).toBe(three);
  });

  test("stays as it is when somebody else moved it: to a commit of theirs", async () => {
    const { user, one, two, project, shown } = await scene();
    await project(one, null);
    const main = userGit(user, "rev-parse", "HEAD");
    userGit(user, "checkout", "-q", "tiger/loop1");
    const theirs = commitFiles(user, { "mine.txt": "mine\n" });
    userGit(user, "checkout", "-q", main);
    expect(await project(two, one)).toEqual({ movedBy: theirs });
    expect(shown()).toBe(theirs);
  });

  test("stays as it is when somebody else moved it: back to a commit that it had before", async () => {
    const { user, one, two, three, project, shown } = await scene();
    await project(two, null);
    userGit(user, "branch", "-q", "-f", "tiger/loop1", one);
    expect(await project(three, two)).toEqual({ movedBy: one });
    expect(shown()).toBe(one);
  });

  test("stays as it is when somebody else moved it: deleted, or there before", async () => {
    const { user, one, two, project, shown } = await scene();
    await project(one, null);
    userGit(user, "branch", "-q", "-D", "tiger/loop1");
    expect(await project(two, one)).toEqual({ movedBy: none });
    expect(shown()).toBe("");
    const foreign = userGit(user, "commit-tree", "-m", "theirs", "HEAD^{tree}");
    userGit(user, "branch", "tiger/loop1", foreign);
    expect(await project(two, null)).toEqual({ movedBy: foreign });
    expect(shown()).toBe(foreign);
  });

  test("waits while it is checked out anywhere, and says where", async () => {
    const { user, one, two, project, shown } = await scene();
    await project(one, null);
    const linked = join(user, "../linked");
    userGit(user, "worktree", "add", "-q", linked, "tiger/loop1");
    expect(await project(two, one)).toEqual({ checkedOut: linked, found: one });
    expect(userGit(linked, "status", "--porcelain")).toBe("");
    userGit(user, "worktree", "remove", linked);
    expect(await project(two, one)).toEqual({ projected: two });
    expect(shown()).toBe(two);
  });

  test("is shown in an empty, a bare, a shallow and a sha256 repository too", async () => {
    const empty = await scene((folder) => {
      mkdirSync(folder);
      userGit(folder, "init", "-q");
      return folder;
    });
    const bare = await scene((folder) => {
      makeRepository(`${folder}-work`);
      userGit(`${folder}-work`, "clone", "-q", "--bare", `${folder}-work`, folder);
      return folder;
    });
    const shallow = await scene((folder) => {
      makeRepository(`${folder}-work`);
      userGit(`${folder}-work`, "clone", "-q", "--depth=1", `file://${folder}-work`, folder);
      return folder;
    });
    const sha256 = await scene((folder) => makeRepository(folder, "--object-format=sha256"));
    for (const { user, three, project, shown } of [empty, bare, shallow, sha256]) {
      expect(await project(three, null)).toEqual({ projected: three });
      expect(shown()).toBe(three);
      expect(userGit(user, "fsck")).not.toContain("missing");
    }
    expect(userGit(empty.user, "symbolic-ref", "HEAD")).toBe("refs/heads/main");
    expect(() => userGit(empty.user, "rev-parse", "--verify", "HEAD")).toThrow();
  });

  test("comes back after the user has thrown the base away", async () => {
    const { user, baseOid, three, project, shown } = await scene();
    userGit(user, "checkout", "-q", "--orphan", "fresh");
    userGit(user, "commit", "-q", "-m", "fresh");
    userGit(user, "branch", "-q", "-D", "main");
    userGit(user, "reflog", "expire", "--expire=now", "--all");
    userGit(user, "gc", "-q", "--prune=now");
    expect(() => userGit(user, "cat-file", "-e", baseOid)).toThrow();
    expect(await project(three, null)).toEqual({ projected: three });
    expect(shown()).toBe(three);
    expect(userGit(user, "fsck")).not.toContain("missing");
  });
});

test("the loop's commits come to the user while the branch cannot be moved, and no ref changes", async () => {
  const { user, own, one, three, row, project, shown } = await scene();
  await project(one, null);
  userGit(user, "checkout", "-q", "tiger/loop1");
  expect(await project(three, one)).toMatchObject({ found: one });
  await own.bringToUser(row(three, one));
  await own.bringToUser(row(three, one));
  expect(userGit(user, "log", "--format=%s", "-3", three)).toBe("three\ntwo\none");
  expect(shown()).toBe(one);
});

describe("a lock on the branch", () => {
  test("that a killed git has left is removed in time", async () => {
    const { user, one, two, project, shown } = await scene();
    await project(one, null);
    const lock = join(user, ".git/refs/heads/tiger/loop1.lock");
    writeFileSync(lock, "");
    const old = new Date(Date.now() - 60_000);
    utimesSync(lock, old, old);
    expect(await project(two, one)).toEqual({ projected: two });
    expect([shown(), existsSync(lock)]).toEqual([two, false]);
  });

  test("that is young is somebody's, and one on something else is the user's", async () => {
    const { user, one, two, row, project, own, shown } = await scene();
    await project(one, null);
    const lock = join(user, ".git/refs/heads/tiger/loop1.lock");
    writeFileSync(lock, "");
    await expect(project(two, one)).rejects.toMatchObject({ code: "git_failed" });
    expect([shown(), existsSync(lock)]).toEqual([one, true]);
    const packed = join(user, ".git/packed-refs.lock");
    writeFileSync(packed, "");
    const old = new Date(Date.now() - 600_000);
    utimesSync(packed, old, old);
    await expect(own.removeProjection(row(two, one))).rejects.toMatchObject({ code: "git_failed" });
    expect(existsSync(packed)).toBe(true);
  });
});

describe("taking the branch away", () => {
  test("leaves the user's repository as if it had never been there, but for objects", async () => {
    const { user, own, one, two, row, project } = await scene();
    const before = fingerprintOfRest(user);
    await project(one, null);
    await project(two, one);
    expect(await own.removeProjection(row(two, one))).toEqual({ removed: true });
    expect(await own.removeProjection(row(two, one))).toEqual({ removed: false });
    const after = fingerprintOfRest(user, (path) => isProjected(path) && !path.startsWith(".git/refs"));
    const expected = Object.fromEntries(Object.entries(before).filter(([path]) => path in after));
    expect(after).toEqual(expected);
  });

  test("is not done to what somebody else has put there", async () => {
    const { user, own, one, row, project, shown } = await scene();
    await project(one, null);
    const foreign = userGit(user, "commit-tree", "-p", one, "-m", "theirs", "HEAD^{tree}");
    userGit(user, "branch", "-f", "tiger/loop1", foreign);
    expect(await own.removeProjection(row(one, one))).toEqual({ movedBy: foreign });
    expect(shown()).toBe(foreign);
  });
});

test("HEAD and the index stay even when the branch's name is the user's own", async () => {
  const { user, one, project } = await scene();
  await project(one, null);
  userGit(user, "checkout", "-q", "tiger/loop1");
  const head = readFileSync(join(user, ".git/HEAD"), "utf8");
  expect(await project(one, one)).toEqual({ projected: one });
  expect([readFileSync(join(user, ".git/HEAD"), "utf8"), userGit(user, "status", "--porcelain")]).toEqual([
    head,
    "",
  ]);
});
