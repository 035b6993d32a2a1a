import { posix } from "node:path";
import { SandboxError } from "../errors.ts";
import { type Inside, runInside } from "../files/inside-command.ts";
import { lastLines } from "../files/untrusted-text.ts";
import { submodulesScript } from "./clone-script.ts";
import { insideEnvironment, transfer } from "./clone-transfer.ts";
import { namedBranch, openRepository, type Repository, resolveCommit } from "./repository.ts";
import { initialisedSubmodules, type Submodule } from "./submodules.ts";
import { hasUncommitted } from "./uncommitted.ts";

export interface PutRepositoryOptions {
  /** The top of a repository of the host. */
  repository: string;
  /** Anything git understands as one. Default: HEAD. */
  commit?: string;
  /** The folder inside; made where it is missing. */
  path: string;
  signal?: AbortSignal;
  onProgress?: (line: string) => void;
}

export interface PutRepositoryResult {
  /** null: the repository has no commit yet. */
  commit: string | null;
  /** null: HEAD is detached. */
  branch: string | null;
  submodules: { path: string; commit: string }[];
}

/**
 * Puts the host's repository into a sandbox as a private clone: the history of one commit, its tags, and the
 * initialised submodules at the commits it records. The branch has the same name inside; nothing inside points
 * back to the host. On the host nothing changes, not even a time stamp.
 */
export async function putRepository(
  inside: Inside,
  options: PutRepositoryOptions,
): Promise<PutRepositoryResult> {
  const { path, signal } = options;
  const repository = await openRepository(options.repository, signal);
  const { commit, branch } = await startingPoint(repository, options.commit, signal);
  const dirty = options.onProgress ? hasUncommitted(repository, signal) : undefined;
  const finding = commit ? initialisedSubmodules(repository, commit, signal) : Promise.resolve([]);
  finding.catch(() => {}); // Awaited below, unless the transfer fails first.
  await transfer(inside, { repository, commit, branch, path, signal });
  const submodules = await finding;
  await putSubmodules(inside, submodules, options);
  if (await dirty) options.onProgress?.("uncommitted changes stay on the host: a clone holds commits only");
  return {
    commit: commit ?? null,
    branch: branch ?? null,
    submodules: submodules.map((submodule) => ({ path: submodule.path, commit: submodule.commit })),
  };
}

/** The branch that is checked out, or the one that the user named; any other commit is a detached HEAD. */
async function startingPoint(
  repository: Repository,
  wanted: string | undefined,
  signal: AbortSignal | undefined,
): Promise<{ commit: string | undefined; branch: string | undefined }> {
  if (wanted === undefined) return { commit: repository.head, branch: repository.branch };
  const commit = await resolveCommit(repository.path, wanted, signal);
  const named = await namedBranch(repository.path, wanted, signal);
  return { commit, branch: named ?? (commit === repository.head ? repository.branch : undefined) };
}

async function putSubmodules(
  inside: Inside,
  submodules: readonly Submodule[],
  options: PutRepositoryOptions,
): Promise<void> {
  for (const { repository, commit, path } of submodules) {
    options.onProgress?.(`submodule ${path}`);
    const place = posix.join(options.path, path);
    await transfer(inside, { repository, commit, branch: undefined, path: place, signal: options.signal });
  }
  // The innermost first: a repository is complete before the one around it takes it over.
  for (const outer of [...new Set(submodules.map((submodule) => submodule.outer))].reverse()) {
    const place = posix.join(options.path, outer);
    const own = submodules.filter((submodule) => submodule.outer === outer);
    const names = own.map(({ path }) => posix.relative(outer, path));
    await runInside(inside, ["sh", "-c", submodulesScript, "sh", place, ...names], {
      env: insideEnvironment,
      signal: options.signal,
      failure: (_exit, stderr) =>
        new SandboxError("git_failed", `the submodules could not be set up inside: ${lastLines(stderr)}`, {
          remedy: "check them on the host with `git submodule status --recursive`",
        }),
    });
  }
}
