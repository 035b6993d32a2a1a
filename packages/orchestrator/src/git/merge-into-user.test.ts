import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  commitFiles,
  fingerprintOfRest,
  makeRepository,
  scratchFolder,
  userGit,
} from "../../../../tests/setup/user-git.ts";
import { mergeIntoUser } from "./merge-into-user.ts";

const env = {
  ...process.env,
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "U",
  GIT_AUTHOR_EMAIL: "u@x",
  GIT_COMMITTER_NAME: "U",
  GIT_COMMITTER_EMAIL: "u@x",
};

/** A checkout, and a branch of a loop beside it. */
function scene(files: Record<string, string> = { "new.txt": "new\n" }) {
  const user = makeRepository(join(scratchFolder(), "user"));
  userGit(user, "checkout", "-q", "-b", "tiger/loop1");
  const oid = commitFiles(user, files);
  userGit(user, "checkout", "-q", "main");
  return { user, oid, merge: () => mergeIntoUser({ path: user, branch: "tiger/loop1", oid, env }) };
}

describe("a loop's branch is merged into the user's", () => {
  test("by going forward where that is all", async () => {
    const { user, oid, merge } = scene();
    expect(await merge()).toEqual({ merged: oid, into: "main", how: "fast-forward" });
    expect(userGit(user, "status", "--porcelain", "--branch")).toBe("## main");
    expect(await merge()).toEqual({ merged: oid, into: "main", how: "nothing" });
  });

  test("by a merge where both have gone on, beside files that git does not know", async () => {
    const { user, oid, merge } = scene();
    commitFiles(user, { "mine.txt": "mine\n" });
    writeFileSync(join(user, "untracked"), "x\n");
    const result = await merge();
    expect(result).toMatchObject({ into: "main", how: "merge" });
    expect(userGit(user, "log", "-1", "--format=%s|%P")).toContain(oid);
    expect(userGit(user, "log", "-1", "--format=%s")).toBe("Merge branch 'tiger/loop1'");
    expect(userGit(user, "status", "--porcelain")).toBe("?? untracked");
  });

  test("with a commit, also where merges usually wait for one", async () => {
    const { user, merge } = scene();
    commitFiles(user, { "mine.txt": "mine\n" });
    userGit(user, "config", "branch.main.mergeOptions", "--no-commit");
    expect(await merge()).toMatchObject({ into: "main", how: "merge" });
    expect(existsSync(join(user, ".git/MERGE_HEAD"))).toBe(false);
    expect(userGit(user, "status", "--porcelain")).toBe("");
  });

  test("where there was no commit yet", async () => {
    const { user: other, oid } = scene();
    const user = join(other, "../empty");
    mkdirSync(user);
    userGit(user, "init", "-q");
    userGit(user, "fetch", "-q", other, "tiger/loop1:tiger/loop1");
    expect(await mergeIntoUser({ path: user, branch: "tiger/loop1", oid, env })).toEqual({
      merged: oid,
      into: "main",
      how: "fast-forward",
    });
    expect(userGit(user, "status", "--porcelain")).toBe("");
  });
});

describe("nothing is merged, and the checkout is as it was,", () => {
  const refusal = { code: "not_allowed_now", remedy: expect.any(String) };

  test("when both changed the same lines: the files are named", async () => {
    const { user, merge } = scene({ "README.md": "theirs\n", "b.txt": "b\n" });
    const head = commitFiles(user, { "README.md": "mine\n" });
    const tree = (path: string): boolean => path.startsWith(".git");
    const before = Object.keys(fingerprintOfRest(user, tree));
    expect(await merge()).toEqual({ conflicts: ["README.md"], into: "main" });
    expect(userGit(user, "status", "--porcelain")).toBe("");
    expect([userGit(user, "rev-parse", "HEAD"), Object.keys(fingerprintOfRest(user, tree))]).toEqual([
      head,
      before,
    ]);
  });

  test.each(["pre-merge-commit", "commit-msg"])("when the hook %s refuses, which is told", async (hook) => {
    const { user, merge } = scene();
    const head = commitFiles(user, { "mine.txt": "mine\n" });
    writeFileSync(join(user, ".git/hooks", hook), "#!/bin/sh\necho not like this >&2\nexit 1\n", {
      mode: 0o755,
    });
    await expect(merge()).rejects.toMatchObject({
      code: "git_failed",
      message: expect.stringContaining("not like this"),
      remedy: expect.stringContaining("your checkout is as it was"),
    });
    expectAsBefore(user, head);
  });

  test("when the merge cannot be signed", async () => {
    const { user, merge } = scene();
    const head = commitFiles(user, { "mine.txt": "mine\n" });
    userGit(user, "config", "commit.gpgSign", "true");
    userGit(user, "config", "gpg.program", "/bin/false");
    await expect(merge()).rejects.toMatchObject({ code: "git_failed" });
    expectAsBefore(user, head);
  });

  test("when there are changes that are not committed", async () => {
    const { user, merge } = scene();
    writeFileSync(join(user, "README.md"), "dirty\n");
    await expect(merge()).rejects.toMatchObject(refusal);
    userGit(user, "add", "README.md");
    await expect(merge()).rejects.toMatchObject(refusal);
    expect(userGit(user, "status", "--porcelain")).toBe("M  README.md".trim());
  });

  test("when a file that git does not know is in the way", async () => {
    const { user, merge } = scene();
    writeFileSync(join(user, "new.txt"), "mine\n");
    await expect(merge()).rejects.toMatchObject({
      code: "git_failed",
      message: expect.stringContaining("new.txt"),
    });
    expect(userGit(user, "status", "--porcelain")).toBe("?? new.txt");
  });

  test("on a detached HEAD, in a bare repository, in the middle of a rebase", async () => {
    const { user, oid, merge } = scene();
    userGit(user, "clone", "-q", "--bare", user, join(user, "../bare"));
    await expect(
      mergeIntoUser({ path: join(user, "../bare"), branch: "tiger/loop1", oid, env }),
    ).rejects.toMatchObject(refusal);
    mkdirSync(join(user, ".git/rebase-merge"));
    await expect(merge()).rejects.toMatchObject(refusal);
    userGit(user, "checkout", "-q", "--detach");
    await expect(merge()).rejects.toMatchObject(refusal);
  });
});

function expectAsBefore(user: string, head: string): void {
  expect(existsSync(join(user, ".git/MERGE_HEAD"))).toBe(false);
  expect(userGit(user, "status", "--porcelain", "--branch")).toBe("## main");
  expect(userGit(user, "rev-parse", "HEAD")).toBe(head);
}
