import { posix } from "node:path";
import { SandboxError } from "../errors.ts";
import { type Inside, runInside } from "../files/inside-command.ts";
import { lastLines } from "../files/untrusted-text.ts";
import { submodulesScript } from "./clone-script.ts";
import { type Transfer, transfer } from "./clone-transfer.ts";
import { gitInside } from "./git-environment.ts";
import { heldCommits } from "./held-commits.ts";
import { type StartingPoint, startingPoint } from "./starting-point.ts";
import { initialisedSubmodules, type Submodule } from "./submodules.ts";
import { hasUncommitted } from "./uncommitted.ts";

export interface PutRepositoryOptions {
  /** The top of a repository of the host. */
  repository: string;
  /** Anything git understands as one. Default: HEAD. */
  commit?: string;
  /** What both come to, where that has been found out already. */
  start?: StartingPoint | undefined;
  /** The folder inside; made where it is missing. */
  path: string;
  /** What is there already. Default: nothing that is of use. */
  there?: PresentClone;
  signal?: AbortSignal;
  onProgress?: (line: string) => void;
}

/**
 * clone: perhaps a clone of this repository, in which others have worked: its objects do not travel again. untouched:
 * a clone that was put there at this commit, and nothing has run beside it since.
 */
export type PresentClone = { kind: "clone" } | { kind: "untouched"; commit: string };

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
 * back to the host. A repository that is there already becomes that clone; of what lies around it stays what git
 * ignores. On the host nothing changes, not even a time stamp.
 */
export async function putRepository(
  inside: Inside,
  options: PutRepositoryOptions,
): Promise<PutRepositoryResult> {
  const { path, signal } = options;
  const start = options.start ?? (await startingPoint(options.repository, options.commit, signal));
  const { repository, commit, branch } = start;
  const dirty = options.onProgress ? hasUncommitted(repository, signal) : undefined;
  const finding = commit ? initialisedSubmodules(repository, commit, signal) : Promise.resolve([]);
  finding.catch(() => {}); // Awaited below, unless the transfer fails first.
  await bring(inside, { repository, commit, branch, path, signal }, options.there);
  const submodules = await finding;
  await putSubmodules(inside, submodules, options);
  if (await dirty) options.onProgress?.("uncommitted changes stay on the host: a clone holds commits only");
  return {
    commit: commit ?? null,
    branch: branch ?? null,
    submodules: submodules.map((submodule) => ({ path: submodule.path, commit: submodule.commit })),
  };
}

/** What is there need not be as it seems: where it is of no use after all, everything travels. */
async function bring(
  inside: Inside,
  wanted: Omit<Transfer, "stays" | "held">,
  there: PresentClone | undefined,
): Promise<void> {
  const attempt = await shortcut(inside, wanted, there);
  if (attempt) {
    try {
      return await transfer(inside, { ...wanted, ...attempt });
    } catch (error) {
      if (!(error instanceof SandboxError) || error.code !== "git_failed") throw error;
    }
  }
  await transfer(inside, { ...wanted, stays: "nothing", held: [] });
}

async function shortcut(
  inside: Inside,
  { repository, commit, path, signal }: Omit<Transfer, "stays" | "held">,
  there: PresentClone | undefined,
): Promise<Pick<Transfer, "stays" | "held"> | undefined> {
  if (!there || !commit) return undefined;
  // Where a shallow history ends may have changed since.
  if (there.kind === "untouched" && !repository.isShallow) return { stays: "all", held: [there.commit] };
  const held = await heldCommits(inside, repository, { commit, path, signal });
  return held.length > 0 ? { stays: "objects", held } : undefined;
}

async function putSubmodules(
  inside: Inside,
  submodules: readonly Submodule[],
  options: PutRepositoryOptions,
): Promise<void> {
  for (const { repository, commit, path } of submodules) {
    options.onProgress?.(`submodule ${path}`);
    const place = posix.join(options.path, path);
    await transfer(inside, {
      repository,
      commit,
      branch: undefined,
      path: place,
      stays: "nothing",
      held: [],
      signal: options.signal,
    });
  }
  // The innermost first: a repository is complete before the one around it takes it over.
  for (const outer of [...new Set(submodules.map((submodule) => submodule.outer))].reverse()) {
    const place = posix.join(options.path, outer);
    const own = submodules.filter((submodule) => submodule.outer === outer);
    const names = own.map(({ path }) => posix.relative(outer, path));
    await runInside(inside, ["sh", "-c", submodulesScript, "sh", place, ...names], {
      env: gitInside,
      signal: options.signal,
      failure: (_exit, stderr) =>
        new SandboxError("git_failed", `the submodules could not be set up inside: ${lastLines(stderr)}`, {
          remedy: "check them on the host with `git submodule status --recursive`",
        }),
    });
  }
}
