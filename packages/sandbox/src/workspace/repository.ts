import { readFileSync } from "node:fs";
import { join } from "node:path";
import { anySignal } from "@opentiger/schema";
import { SandboxError } from "../errors.ts";
import { git, gitAnswer, gitStream } from "./host-git.ts";
import { refuseWaitingFiles } from "./waiting-files.ts";

export type ObjectFormat = "sha1" | "sha256";

/** A repository of the host's, as it stands. */
export interface Repository {
  /** Where git runs: the top of the work tree, or the bare repository itself. */
  path: string;
  /** What all its work trees share: objects, refs, the list of shallow commits. */
  commonDir: string;
  format: ObjectFormat;
  isShallow: boolean;
  isBare: boolean;
  /** Undefined where there is no commit yet. */
  head: string | undefined;
  /** Undefined where HEAD is detached. */
  branch: string | undefined;
  /** Of the user's settings those of the repository, of all files together; the last one of a name counts. */
  settings: ReadonlyMap<string, string>;
}

/** What is asked here takes git an instant. One that takes so long waits for something. */
const patienceMs = 30_000;

/**
 * Opens what the user named. It must be the top of a repository: a clone of it will stand at the same path. One that git
 * cannot read to an end is refused, in bounded time.
 */
export async function openRepository(path: string, cancel?: AbortSignal): Promise<Repository> {
  refuseWaitingFiles(path);
  const patience = AbortSignal.timeout(patienceMs);
  const signal = cancel ? anySignal([cancel, patience]) : patience;
  const facts = [
    "--git-common-dir",
    "--show-object-format",
    "--is-shallow-repository",
    "--is-bare-repository",
  ];
  const head = ["--show-prefix", "HEAD^{commit}", "--symbolic-full-name", "HEAD"];
  const [answer, settings] = await Promise.all([
    // It fails at the last two where there is no commit yet, having said all the rest.
    git(path, ["rev-parse", "--path-format=absolute", ...facts, ...head], { signal, allow: [128] }),
    git(path, ["config", "--list", "-z"], { signal }),
  ]);
  const [commonDir = "", format = "", shallow, bare, prefix, commit = "", ref] = answer.split("\n");
  if (commonDir === "") await git(path, ["rev-parse", "--git-dir"], { signal }); // Says why it is none.
  if (prefix) throw belowTop(path, prefix);
  if (format !== "sha1" && format !== "sha256") throw unknownFormat(path, format);
  const hasCommit = /^[0-9a-f]+$/.test(commit);
  return {
    path,
    commonDir,
    format,
    isShallow: shallow === "true",
    isBare: bare === "true",
    head: hasCommit ? commit : undefined,
    branch: hasCommit ? branchOf(ref) : await unbornBranch(path, signal),
    settings: readSettings(settings),
  };
}

/** The full id of a commit, or undefined where the repository has no commit yet and none was asked for. */
export async function resolveCommit(
  path: string,
  commit: string | undefined,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const args = ["rev-parse", "--quiet", "--verify", "--end-of-options", `${commit ?? "HEAD"}^{commit}`];
  const found = await gitAnswer(path, args, { signal });
  if (found || commit === undefined) return found;
  throw new SandboxError("git_failed", `${path} has no commit ${JSON.stringify(commit)}`, {
    remedy: `git -C ${path} log --oneline`,
  });
}

/** The branch that this name means, if it means one. */
export async function namedBranch(
  path: string,
  name: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const args = ["rev-parse", "--symbolic-full-name", "--end-of-options", name];
  return branchOf((await gitAnswer(path, args, { signal }))?.split("\n").at(-1));
}

/** The commits whose parents this shallow repository does not have, as far as they belong to the history of one. */
export async function shallowBoundary(
  repository: Repository,
  commit: string,
  signal?: AbortSignal,
): Promise<string[]> {
  if (!repository.isShallow) return [];
  const cut = new Set(readFileSync(join(repository.commonDir, "shallow"), "utf8").split("\n"));
  const roots = await git(repository.path, ["rev-list", "--max-parents=0", commit, "--"], { signal });
  return roots.split("\n").filter((root) => root !== "" && cut.has(root));
}

/**
 * A partial clone fetches what it lacks when it is read. We never fetch behind the user's back, so everything
 * must be there.
 */
export async function checkComplete(
  repository: Repository,
  commit: string,
  signal?: AbortSignal,
): Promise<void> {
  const promisor = [...repository.settings].find(
    ([name, value]) => /^remote\..*\.promisor$/.test(name) && value === "true",
  );
  if (!promisor) return;
  const args = ["rev-list", "--objects", "--missing=print", "--no-object-names", commit, "--"];
  for await (const chunk of gitStream(repository.path, args, { signal })) {
    if (chunk.includes("?")) throw partial(repository, promisor[0]);
  }
}

async function unbornBranch(path: string, signal: AbortSignal | undefined): Promise<string | undefined> {
  return branchOf(await gitAnswer(path, ["symbolic-ref", "--quiet", "HEAD"], { signal }));
}

function branchOf(ref: string | undefined): string | undefined {
  return ref?.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : undefined;
}

function readSettings(text: string): Map<string, string> {
  const settings = new Map<string, string>();
  for (const entry of text.split("\0").filter((line) => line !== "")) {
    const [name = "", ...value] = entry.split("\n");
    settings.set(name, value.length === 0 ? "true" : value.join("\n"));
  }
  return settings;
}

function belowTop(path: string, prefix: string): SandboxError {
  const top = path.slice(0, Math.max(1, path.length - prefix.length));
  return new SandboxError(
    "workspace_refused",
    `${path} is a folder inside a repository, and only a whole one can be cloned`,
    {
      remedy: `name the repository: ${top}`,
    },
  );
}

function unknownFormat(path: string, format: string): SandboxError {
  return new SandboxError("unsupported", `${path} uses the object format ${JSON.stringify(format)}`, {
    remedy: "use a repository with sha1 or sha256",
  });
}

function partial(repository: Repository, setting: string): SandboxError {
  const remote = setting.replace(/^remote\./, "").replace(/\.promisor$/, "");
  return new SandboxError(
    "unsupported",
    `${repository.path} is a partial clone that lacks objects of this commit`,
    {
      remedy: `get them first: git -C ${repository.path} fetch --refetch --no-filter ${remote}`,
    },
  );
}
