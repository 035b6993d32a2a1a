import { posix } from "node:path";
import { SandboxError } from "../errors.ts";
import { type Inside, readInside } from "../files/inside-command.ts";
import { type Ref, readBundle } from "./bundle.ts";
import { sendCommitsScript } from "./fetch-script.ts";
import { insideEnvironment } from "./git-environment.ts";
import { NoRepositoryInside, repositoryFailure } from "./inside-repository.ts";
import { knownCommits } from "./known-commits.ts";
import { defaultPackLimits, type PackLimits } from "./pack-stream.ts";
import { Quarantine } from "./quarantine.ts";
import { checkedRefs } from "./ref-names.ts";
import { openRepository, type Repository } from "./repository.ts";
import { fetchedRefs, setRefs } from "./sandbox-refs.ts";
import { initialisedSubmodules } from "./submodules.ts";

export interface FetchOptions {
  /** The user's repository, where the clone came from. */
  repository: string;
  /** The sandbox: its commits come to `refs/sandboxes/NAME/*`. */
  name: string;
  /** The clone inside. */
  path: string;
  /** The commit at which the clone started, so that only what is new travels. */
  base?: string | null | undefined;
  limits?: Partial<PackLimits>;
  /** Where large things may lie for a moment. Default: the system's temporary folder. */
  scratch?: string;
  signal?: AbortSignal;
}

export interface Fetched {
  refs: Ref[];
  /** How many are new. */
  commits: number;
}

export interface FetchResult extends Fetched {
  submodules: (Fetched & { path: string })[];
}

/** A clone of gigabytes packs for minutes; one that never ends must not hold the caller. */
const patienceMs = 15 * 60 * 1000;

/**
 * Brings the branches of a clone, and its HEAD, to `refs/sandboxes/NAME/*` of the user's repository. What comes
 * is not trusted: it is bounded, read into a repository of ours, checked there object by object, and only then
 * handed over. No hook, filter or transport of anyone's runs, nothing is checked out, and besides these refs and
 * their objects nothing changes; on any error not even those.
 */
export async function fetchCommits(inside: Inside, options: FetchOptions): Promise<FetchResult> {
  const repository = await openRepository(options.repository, options.signal);
  const top = await fetchOne(inside, repository, options);
  const submodules: FetchResult["submodules"] = [];
  const inner = options.base ? await initialisedSubmodules(repository, options.base, options.signal) : [];
  for (const { path, commit, repository: own } of inner) {
    const at = { ...options, path: posix.join(options.path, path), base: commit };
    const fetched = await fetchOne(inside, own, at).catch(removedInside);
    if (fetched) submodules.push({ path, ...fetched });
  }
  return { ...top, submodules };
}

async function fetchOne(inside: Inside, repository: Repository, options: FetchOptions): Promise<Fetched> {
  const earlier = await fetchedRefs(repository, options.name);
  const known = await knownCommits(repository, options.base, earlier);
  const command = ["sh", "-c", sendCommitsScript, "sh", options.path, ...known];
  const bytes = readInside(inside, command, {
    env: insideEnvironment,
    timeoutMs: patienceMs,
    signal: options.signal,
    failure: repositoryFailure(options.path),
  });
  const quarantine = await Quarantine.open(repository, {
    limits: { ...defaultPackLimits, ...options.limits },
    scratch: options.scratch,
    signal: options.signal,
  });
  try {
    const { header, pack } = await readBundle(bytes);
    if (header.format !== repository.format) throw otherFormat(header.format);
    if (!header.prerequisites.every((oid) => known.includes(oid))) throw foreignBase();
    const refs = checkedRefs(header.refs, options.name);
    await quarantine.receive(pack);
    if (refs.length === 0) return { refs, commits: 0 };
    const commits = await quarantine.check(
      refs.map(({ oid }) => oid),
      known,
    );
    await quarantine.release();
    await setRefs(repository, refs, earlier);
    return { refs, commits };
  } finally {
    await bytes.return();
    quarantine.close();
  }
}

function removedInside(error: unknown): undefined {
  if (!(error instanceof NoRepositoryInside)) throw error;
}

function otherFormat(format: string): SandboxError {
  return new SandboxError(
    "git_failed",
    `the repository in the sandbox uses ${format} now, unlike the one it came from`,
    {
      remedy: "it was made anew inside; copy its files out with `cp`",
    },
  );
}

function foreignBase(): SandboxError {
  return new SandboxError(
    "git_failed",
    "the sandbox sent commits on top of some that the host did not name",
    {
      remedy: "something inside has replaced `git`; copy the files out with `cp`",
    },
  );
}
