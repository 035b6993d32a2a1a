import { join } from "node:path";
import { openRepository, type Repository, withFileLock } from "@opentiger/sandbox";
import { OrchestratorError } from "../errors.ts";
import { isAncestor } from "./ancestry.ts";
import { moveBranch, type UserBranch, userBranch } from "./branch-ref.ts";
import { copyHistory, presentCommits } from "./history-transfer.ts";
import { checkedOid, noneLike } from "./oid.ts";
import type { OwnGit } from "./own-git.ts";
import { readPin, setPin } from "./pins.ts";
import { UserGit } from "./user-git.ts";

/** Of a row of loops: where its branch is, and where it was last seen in the user's repository. */
export interface ProjectedLoop {
  id: string;
  /** Such as `tiger/k3v9x0ab`, below refs/heads. */
  branch: string | null;
  branchOid: string | null;
  projectedOid: string | null;
}

export type Hindrance =
  /** Somebody else moved it: what was found, all zeros where it was deleted. Nothing was changed. */
  | { movedBy: string }
  /** Somebody has it checked out, so that moving it would make a mess of that checkout. Nothing was changed. */
  | { checkedOut: string; found: string };

/** `projected`: it is there now. With a row that was read too early, this may be further on than the row says. */
export type Projection = { projected: string } | Hindrance;

/** A user or another of us may move it between our look and our move, but hardly each time. */
const mostTries = 5;

/**
 * Shows the loop's branch in the user's repository: the objects, then the one ref, compared and set. Nothing else
 * changes there. It can be done again and again, by several at once, and with a row of yesterday: the branch goes
 * forward along the loop's own commits only.
 */
export async function projectBranch(own: OwnGit, userPath: string, loop: ProjectedLoop): Promise<Projection> {
  const { branch, tip } = checkedLoop(loop);
  const user = await openRepository(userPath, own.signal);
  const [base, kept] = [await readPin(own, loop.id, "base"), await readPin(own, loop.id, "branch")];
  if (kept !== tip) await keepBranchPin(own, loop.id, tip);
  for (let tries = 0; tries < mostTries; tries += 1) {
    const found = await userBranch(user, branch, own.signal);
    if (found?.oid === tip) return { projected: tip };
    // Where it was when the row was read, it is behind what the row says.
    const isKnown = !found || found.oid === loop.projectedOid;
    if (!isKnown && (await isAhead(own, tip, found.oid, kept))) return { projected: found.oid };
    const hindrance = await hindranceOf(own, loop, found, base);
    if (hindrance) return hindrance;
    await copyNew(own, user, tip, [loop.projectedOid, base]);
    const moved = await moveBranch(user, branch, { to: tip, from: found?.oid ?? noneLike(tip) }, own.signal);
    if (moved) return { projected: tip };
  }
  throw new OrchestratorError("branch_moved", `${branch} is moved by somebody else again and again`, {
    remedy: `see who uses it: git -C ${userPath} log ${branch}`,
  });
}

/** The commits of the loop's branch, into the user's repository; no ref of it changes. */
export async function copyToUser(own: OwnGit, userPath: string, loop: ProjectedLoop): Promise<void> {
  const { tip } = checkedLoop(loop);
  const user = await openRepository(userPath, own.signal);
  const base = await readPin(own, loop.id, "base");
  await copyNew(own, user, tip, [tip, loop.projectedOid, base]);
}

/** Takes the branch away again, as long as it is ours alone. */
export async function removeProjected(
  own: OwnGit,
  userPath: string,
  loop: ProjectedLoop,
): Promise<{ removed: boolean } | Hindrance> {
  if (loop.branch === null || loop.branchOid === null) return { removed: false };
  const { branch, tip } = checkedLoop(loop);
  const user = await openRepository(userPath, own.signal);
  const base = await readPin(own, loop.id, "base");
  for (let tries = 0; tries < mostTries; tries += 1) {
    const found = await userBranch(user, branch, own.signal);
    if (!found) return { removed: false };
    const hindrance = await hindranceOf(own, loop, found, base);
    if (hindrance) return hindrance;
    if (await moveBranch(user, branch, { to: noneLike(tip), from: found.oid }, own.signal))
      return { removed: true };
  }
  return { removed: false };
}

function checkedLoop({ id, branch, branchOid }: ProjectedLoop): { branch: string; tip: string } {
  if (branch !== null && branchOid !== null && /^[A-Za-z0-9][\w-]*(?:\/[A-Za-z0-9][\w-]*)+$/.test(branch)) {
    return { branch, tip: checkedOid(branchOid) };
  }
  throw new OrchestratorError("internal", `loop ${id} has no branch to show: ${JSON.stringify(branch)}`);
}

/**
 * In our repository it is for whoever looks at it, and keeps the commits. An older row does not take it back: whoever
 * moves it on looks where it is while nobody else can.
 */
async function keepBranchPin(own: OwnGit, loop: string, tip: string): Promise<void> {
  const set = async (): Promise<void> => {
    const kept = await readPin(own, loop, "branch");
    if (kept === undefined || !(await isAncestor(own, tip, kept))) await setPin(own, loop, "branch", tip);
  };
  await withFileLock(join(own.path, "branches.flock"), set, { code: "git_failed", signal: own.signal });
}

/** Whether another of us, with a newer row, was here already. */
async function isAhead(own: OwnGit, tip: string, found: string, kept: string | undefined): Promise<boolean> {
  if (kept === undefined || (await presentCommits(own, [found])).length === 0) return false;
  return (await isAncestor(own, tip, found)) && (await isAncestor(own, found, kept));
}

/**
 * What was found must be where the branch was last seen, or one of the commits that it has had since: somebody of us may
 * have moved it and died before that could be written down. None of us moves it back from there.
 */
async function hindranceOf(
  own: OwnGit,
  { projectedOid, branchOid }: ProjectedLoop,
  found: UserBranch | undefined,
  base: string | undefined,
): Promise<Hindrance | undefined> {
  const tip = checkedOid(branchOid ?? "");
  if (!found) return projectedOid === null ? undefined : { movedBy: noneLike(tip) };
  if (found.oid !== projectedOid && !(await wasOurs(own, found.oid, projectedOid ?? base, tip)))
    return { movedBy: found.oid };
  if (found.worktree !== undefined) return { checkedOut: found.worktree, found: found.oid };
  return undefined;
}

async function wasOurs(own: OwnGit, found: string, from: string | undefined, tip: string): Promise<boolean> {
  if (from === undefined || (await presentCommits(own, [found])).length === 0) return false;
  return (await isAncestor(own, from, found)) && (await isAncestor(own, found, tip));
}

async function copyNew(
  own: OwnGit,
  user: Repository,
  tip: string,
  hints: readonly (string | null | undefined)[],
): Promise<void> {
  const store = new UserGit(user.path, own.signal);
  const oids = hints.filter((oid) => typeof oid === "string");
  const [theirs, ours] = await Promise.all([presentCommits(store, oids), presentCommits(own, oids)]);
  await copyHistory(
    own,
    store,
    tip,
    theirs.filter((oid) => ours.includes(oid)),
  );
}
