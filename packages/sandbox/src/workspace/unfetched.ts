import { posix } from "node:path";
import { SandboxError } from "../errors.ts";
import { type Inside, runInside } from "../files/inside-command.ts";
import { printable } from "../files/untrusted-text.ts";
import { nameCommitsScript } from "./fetch-script.ts";
import { insideEnvironment } from "./git-environment.ts";
import { NoRepositoryInside, repositoryFailure } from "./inside-repository.ts";
import { knownCommits } from "./known-commits.ts";
import { openRepository, type Repository } from "./repository.ts";
import { fetchedRefs } from "./sandbox-refs.ts";
import { initialisedSubmodules } from "./submodules.ts";

export interface UnfetchedOptions {
  repository: string;
  name: string;
  path: string;
  base?: string | null | undefined;
  signal?: AbortSignal;
}

export interface Unfetched {
  /** The newest first, at most a thousand of each repository. Subjects are safe to print. */
  commits: { oid: string; subject: string; submodule: string | null }[];
  /** Changes or stashes that no branch holds, in the clone or one of its submodules. */
  uncommitted: boolean;
}

const patienceMs = 60 * 1000;

/**
 * Names what would be lost with the sandbox: commits in the clone that the user's repository does not hold under
 * `refs/sandboxes/NAME/*`, and whether there is work that was not committed.
 */
export async function unfetchedCommits(inside: Inside, options: UnfetchedOptions): Promise<Unfetched> {
  const repository = await openIfThere(options);
  const result = await askAt(inside, repository, options, null);
  const { base, signal } = options;
  const inner =
    repository && base ? await initialisedSubmodules(repository, base, signal).catch(() => []) : [];
  for (const { path, commit, repository: own } of inner) {
    const at = { ...options, path: posix.join(options.path, path), base: commit };
    const more = await askAt(inside, own, at, path).catch(noneLeft);
    result.commits.push(...more.commits);
    result.uncommitted ||= more.uncommitted;
  }
  return result;
}

/** The user may have deleted the repository; then every commit since the base is unfetched. */
async function openIfThere({ repository, signal }: UnfetchedOptions): Promise<Repository | undefined> {
  try {
    return await openRepository(repository, signal);
  } catch (error) {
    if (error instanceof SandboxError && error.code === "workspace_refused") return undefined;
    throw error;
  }
}

async function askAt(
  inside: Inside,
  repository: Repository | undefined,
  options: UnfetchedOptions,
  submodule: string | null,
): Promise<Unfetched> {
  const { base, name, path, signal } = options;
  const fallback = base ? [base] : [];
  const known = repository
    ? await knownCommits(repository, base, await fetchedRefs(repository, name))
    : fallback;
  const answer = await runInside(inside, ["sh", "-c", nameCommitsScript, "sh", path, ...known], {
    env: insideEnvironment,
    timeoutMs: patienceMs,
    signal,
    failure: repositoryFailure(path),
  });
  const [state, ...lines] = answer.split("\n");
  const commits = lines.flatMap((line) => {
    const found = /^([0-9a-f]{40}|[0-9a-f]{64}) (.*)$/.exec(line);
    return found?.[1] ? [{ oid: found[1], subject: printable(found[2] ?? ""), submodule }] : [];
  });
  return { commits, uncommitted: state !== "clean" };
}

/** A submodule that was removed inside has nothing to lose. */
function noneLeft(error: unknown): Unfetched {
  if (error instanceof NoRepositoryInside) return { commits: [], uncommitted: false };
  throw error;
}
