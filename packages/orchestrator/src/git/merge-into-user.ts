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
  const { status, said } = await git(["merge", "--no-edit", "-m", message, oid], [1, 128]);
  if (status !== 0) return givenUp(git, into, said);
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
    const place = (await git(["rev-parse", "--git-path", name])).out.trim();
    if (existsSync(resolve(path, place))) {
      throw refused(
        "the checkout is in the middle of a merge or rebase",
        `finish it first: git -C ${path} status`,
      );
    }
  }
}

async function givenUp(git: Git, into: string, said: string): Promise<MergedIntoUser> {
  const unmerged = (await git(["diff", "--name-only", "--diff-filter=U", "-z"])).out.split("\0");
  const conflicts = unmerged.filter((path) => path !== "");
  if (conflicts.length === 0) {
    throw new OrchestratorError("git_failed", `git merge failed: ${said}`, {
      remedy: "see what it says, and merge the branch by hand",
    });
  }
  await git(["merge", "--abort"]);
  return { conflicts, into };
}

function refused(message: string, remedy: string): OrchestratorError {
  return new OrchestratorError("not_allowed_now", `nothing was merged: ${message}`, { remedy });
}
