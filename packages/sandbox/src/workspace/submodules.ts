import { lstatSync, realpathSync } from "node:fs";
import { posix } from "node:path";
import { SandboxError } from "../errors.ts";
import { git, gitAnswer } from "./host-git.ts";
import { openRepository, type Repository } from "./repository.ts";

export interface Submodule {
  /** Below the top of the outermost repository. */
  path: string;
  /** The path of the repository around it, in the same way; empty for the outermost. */
  outer: string;
  /** The one that the commit around it records. */
  commit: string;
  repository: Repository;
}

/**
 * The submodules of a commit that are initialised on the host, each before those inside it. One that is not
 * initialised stays an empty folder, as it is on the host.
 */
export async function initialisedSubmodules(
  repository: Repository,
  commit: string,
  signal?: AbortSignal,
): Promise<Submodule[]> {
  if (repository.isBare || !hasInitialised(repository)) return [];
  const found: Submodule[] = [];
  for (const { path, oid } of await recordedSubmodules(repository, commit, signal)) {
    const inner = await openSubmodule(repository, path, signal);
    if (!inner) continue;
    await checkCommit(repository, inner, path, oid);
    found.push({ path, outer: "", commit: oid, repository: inner });
    for (const nested of await initialisedSubmodules(inner, oid, signal)) {
      found.push({ ...nested, path: posix.join(path, nested.path), outer: posix.join(path, nested.outer) });
    }
  }
  return found;
}

/** Initialising one writes its address to the settings. Saves most repositories the walk through all their files. */
function hasInitialised({ settings }: Repository): boolean {
  return [...settings.keys()].some((name) => /^submodule\..+\.(url|active)$/s.test(name));
}

async function recordedSubmodules(
  repository: Repository,
  commit: string,
  signal?: AbortSignal,
): Promise<{ path: string; oid: string }[]> {
  const listed = await git(repository.path, ["ls-tree", "-r", "-z", "--full-tree", commit], { signal });
  return listed
    .split("\0")
    .map((line) => /^160000 commit ([0-9a-f]+)\t(.+)$/s.exec(line))
    .flatMap((found) => (found?.[1] && found[2] ? [{ oid: found[1], path: found[2] }] : []));
}

/** The host's repository of a submodule; undefined when it has none of its own at exactly this place. */
async function openSubmodule(
  outer: Repository,
  path: string,
  signal?: AbortSignal,
): Promise<Repository | undefined> {
  const folder = posix.join(outer.path, path);
  if (!lstatSync(posix.join(folder, ".git"), { throwIfNoEntry: false })) return undefined;
  // Through a link this would be some other repository of the user's.
  if (realpathSync(folder) !== posix.join(realpathSync(outer.path), path)) return undefined;
  return openRepository(folder, signal);
}

async function checkCommit(
  outer: Repository,
  inner: Repository,
  path: string,
  commit: string,
): Promise<void> {
  if (await gitAnswer(inner.path, ["rev-parse", "--quiet", "--verify", `${commit}^{commit}`])) return;
  throw new SandboxError(
    "git_failed",
    `the submodule ${path} does not have the commit ${commit} that is recorded`,
    {
      remedy: `git -C ${outer.path} submodule update --init ${path}`,
    },
  );
}
