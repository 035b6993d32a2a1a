import { namedBranch, openRepository, type Repository, resolveCommit } from "./repository.ts";

/** Where a clone begins: a repository of the host's, and a commit of it, undefined where there is none yet. */
export interface StartingPoint {
  repository: Repository;
  commit: string | undefined;
  /** Undefined for a detached HEAD. */
  branch: string | undefined;
}

/** The branch that is checked out, or the one that the user named; any other commit is a detached HEAD. */
export async function startingPoint(
  path: string,
  wanted: string | undefined,
  signal?: AbortSignal,
): Promise<StartingPoint> {
  if (wanted === undefined) {
    const repository = await openRepository(path, signal);
    return { repository, commit: repository.head, branch: repository.branch };
  }
  const [repository, commit, named] = await Promise.all([
    openRepository(path, signal),
    resolveCommit(path, wanted, signal),
    isObjectId(wanted) ? undefined : namedBranch(path, wanted, signal),
  ]);
  return {
    repository,
    commit,
    branch: named ?? (commit === repository.head ? repository.branch : undefined),
  };
}

/** git takes a full one for the object, also where a branch is called so. */
function isObjectId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}
