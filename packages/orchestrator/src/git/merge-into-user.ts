import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { openRepository } from "@opentiger/sandbox";
import { OrchestratorError } from "../errors.ts";
import { plainGit } from "./plain-git.ts";

export interface MergeIntoUser {
  /** The user's repository. */
  path: string;
  /** Such as `tiger/k3v9x0ab`. */
  branch: string;
  /** What is merged: where the loop's branch is. It has been projected, so that the commits are there. */
  oid: string;
  env?: NodeJS.ProcessEnv;
  signal?: AbortSignal;
}

export type MergedIntoUser =
  | { merged: string; into: string; how: "fast-forward" | "merge" | "nothing" }
  /** The checkout is as it was. */
  | { conflicts: string[]; into: string };

/**
 * Merges a loop's branch into the one that the user has checked out, because the user said so. It is their own git, with
 * their settings, hooks and filters, as if they had typed it. Only into a clean checkout, which is as before when
 * it does not work.
 */
export async function mergeIntoUser(asked: MergeIntoUser): Promise<MergedIntoUser> {
  const { path, branch, oid, signal } = asked;
  const user = await openRepository(path, signal);
  if (user.isBare) throw refused(`${path} has no checkout`, `merge ${branch} in a clone of it`);
  if (user.branch === undefined) throw refused("HEAD is detached", "check out the branch to merge into");
  signal?.throwIfAborted();
  // From here on it is not stopped: that would leave a checkout in between.
  const git = plainGit(path, asked.env ?? process.env);
  await checkClean(git, path);
  const into = user.branch;
  const before = user.head;
  const message = `Merge branch '${branch}'`;
  // All of it or nothing, also where the user's settings leave the commit to them.
  const merge = ["merge", "--commit", "--no-squash", "--no-edit", "-m", message, oid];
  const { status, said } = await git(merge, [1, 2, 128]);
  if (status !== 0) return givenUp(git, path, into, said);
  const merged = (await git(["rev-parse", "--verify", "HEAD"])).out.trim();
  if (merged === before) return { merged, into, how: "nothing" };
  return { merged, into, how: merged === oid ? "fast-forward" : "merge" };
}

type Git = ReturnType<typeof plainGit>;

/** What would be lost or get mixed up. Files that git does not know stay; where one is in the way, git refuses. */
async function checkClean(git: Git, path: string): Promise<void> {
  const changed = await git(["status", "--porcelain", "--untracked-files=no"]);
  if (changed.out !== "") {
    throw refused(
      "the checkout has changes that are not committed",
      `commit or stash them: git -C ${path} status`,
    );
  }
  for (const name of ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"]) {
    if (await isThere(git, path, name)) {
      throw refused(
        "the checkout is in the middle of a merge or rebase",
        `finish it first: git -C ${path} status`,
      );
    }
  }
}

/** One of the files by which git knows what it is in the middle of. */
async function isThere(git: Git, path: string, name: string): Promise<boolean> {
  const place = (await git(["rev-parse", "--git-path", name])).out.trim();
  return existsSync(resolve(path, place));
}

/**
 * Puts the checkout back as it was. A merge in which nothing conflicts is left half done too, by a hook that refuses it
 * or a signature that cannot be made; there was none before.
 */
async function givenUp(git: Git, path: string, into: string, said: string): Promise<MergedIntoUser> {
  const unmerged = (await git(["diff", "--name-only", "--diff-filter=U", "-z"])).out.split("\0");
  const conflicts = unmerged.filter((file) => file !== "");
  if (await isThere(git, path, "MERGE_HEAD")) await git(["merge", "--abort"]);
  if (conflicts.length > 0) return { conflicts, into };
  throw new OrchestratorError("git_failed", `git merge failed: ${said}`, {
    remedy: "your checkout is as it was; see what git says, and merge the branch by hand",
  });
}

function refused(message: string, remedy: string): OrchestratorError {
  return new OrchestratorError("not_allowed_now", `nothing was merged: ${message}`, { remedy });
}
