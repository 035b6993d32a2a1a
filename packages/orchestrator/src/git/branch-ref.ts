import { stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { type Repository, SandboxError } from "@opentiger/sandbox";
import { UserGit } from "./user-git.ts";

/** A branch of the user's repository, as it is. */
export interface UserBranch {
  oid: string;
  /** Where it is checked out. */
  worktree: string | undefined;
}

/** Nobody holds the lock of one ref for so long: it is a matter of milliseconds. */
const abandonedLockMs = 30_000;

export async function userBranch(
  user: Repository,
  branch: string,
  signal: AbortSignal | undefined,
): Promise<UserBranch | undefined> {
  const format = "--format=%(refname)%00%(objectname)%00%(worktreepath)";
  const listed = await new UserGit(user.path, signal).run(["for-each-ref", format, `refs/heads/${branch}`]);
  const lines = listed.split("\n").map((line) => line.split("\0"));
  const [, oid = "", worktree = ""] = lines.find(([name]) => name === `refs/heads/${branch}`) ?? [];
  return oid === "" ? undefined : { oid, worktree: worktree === "" ? undefined : worktree };
}

/**
 * Compares and sets the branch; zeros stand for none, on either side. False when it is elsewhere by now, or when a lock
 * was in the way that nobody holds any more: then it is to be looked at again.
 */
export async function moveBranch(
  user: Repository,
  branch: string,
  { from, to }: { from: string; to: string },
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const git = new UserGit(user.path, signal);
  const ref = `refs/heads/${branch}`;
  const order = /^0+$/.test(to) ? `delete ${ref} ${from}\n` : `update ${ref} ${to} ${from}\n`;
  try {
    // Not cancelled half-way: that would leave its lock.
    await git.run(["update-ref", "--no-deref", "--stdin"], { input: order, signal: undefined });
    return true;
  } catch (error) {
    if (!(error instanceof SandboxError) || error.code !== "git_failed") throw error;
    const now = (await userBranch(user, branch, signal))?.oid ?? "0".repeat(to.length);
    if (now !== from || (await removeAbandonedLock(user, ref))) return false;
    throw error;
  }
}

/**
 * When git is killed while it moves our branch, its lock stays and would be in the way for ever. It is the one of our
 * own branch, of which the user makes no use while the loop runs. No other lock of theirs is touched.
 */
async function removeAbandonedLock({ commonDir }: Repository, ref: string): Promise<boolean> {
  const lock = join(commonDir, `${ref}.lock`);
  try {
    if (Date.now() - (await stat(lock)).mtimeMs < abandonedLockMs) return false;
    await unlink(lock);
    return true;
  } catch {
    return false;
  }
}
