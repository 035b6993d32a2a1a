import type { ExecExit } from "@opentiger/schema";
import { SandboxError } from "../errors.ts";
import { type Inside, runInside } from "../files/inside-command.ts";
import { lastLines } from "../files/untrusted-text.ts";
import { type Ref, writeHeader } from "./bundle.ts";
import { cloneScript, cloneStatus, refsScript } from "./clone-script.ts";
import { gitInside } from "./git-environment.ts";
import { git, gitStream } from "./host-git.ts";
import { publicOrigin } from "./origin.ts";
import { checkComplete, type Repository, shallowBoundary } from "./repository.ts";

export interface Transfer {
  repository: Repository;
  /** Undefined where there is none yet: an empty repository is made. */
  commit: string | undefined;
  /** Undefined for a detached HEAD. */
  branch: string | undefined;
  /** The folder inside. */
  path: string;
  /** What stays of a repository that is there already, and which commits it has: see clone-script.ts. */
  stays: "nothing" | "objects" | "all";
  held: readonly string[];
  signal?: AbortSignal | undefined;
}

/** More boundaries than this do not fit the arguments of a command. */
const mostBoundaries = 20_000;

/**
 * Puts the history of one commit into a sandbox, with the tags that lie in it, as a bundle that streams from the
 * host's git into the sandbox's. What is held there does not travel. Nothing is written on the host.
 */
export async function transfer(inside: Inside, options: Transfer): Promise<void> {
  const { repository, commit, signal } = options;
  const boundary = commit ? await shallowBoundary(repository, commit, signal) : [];
  if (boundary.length > mostBoundaries) throw tooShallow(repository);
  if (commit) await checkComplete(repository, commit, signal);
  const origin = publicOrigin(repository.settings.get("remote.origin.url")) ?? "";
  const isSent = commit !== undefined && !options.held.includes(commit);
  const where = [options.path, options.branch ?? "", commit ?? "", repository.format, origin];
  const args = [...where, options.stays, isSent ? "sent" : "", ...boundary];
  const finding = commit ? tagsWithin(repository, commit, signal) : Promise.resolve([]);
  finding.catch(() => {}); // Awaited below, unless the transfer fails first.
  await runIn(inside, options, [cloneScript, "sh", ...args], isSent ? bundle(options, commit) : undefined);
  const tags = await finding;
  if (tags.length === 0) return;
  const lines = tags.map(({ name, oid }) => `update ${name} ${oid}\n`).join("");
  await runIn(inside, options, [refsScript, "sh", options.path], once(lines));
}

async function runIn(
  inside: Inside,
  options: Transfer,
  script: readonly string[],
  input: AsyncIterable<Buffer> | undefined,
): Promise<void> {
  await runInside(inside, ["sh", "-c", ...script], {
    ...(input ? { input } : {}),
    env: gitInside,
    signal: options.signal,
    failure: (exit, stderr) => explained(exit, stderr, options.path),
  });
}

/** A header of ours and a pack of git's. Made by hand, since `git bundle` takes no commit without a ref. */
async function* bundle(options: Transfer, commit: string): AsyncGenerator<Buffer, void> {
  const { repository, branch, held, signal } = options;
  const tip = { name: branch === undefined ? "HEAD" : `refs/heads/${branch}`, oid: commit };
  yield writeHeader({ format: repository.format, prerequisites: [...held], refs: [tip] });
  // It crosses a socket, not a network: deltas are used where they exist and not searched for.
  const quick = ["--delta-base-offset", "--window=0", "--compression=1"];
  const thin = held.length > 0 ? ["--thin"] : [];
  const args = ["pack-objects", "--revs", "--include-tag", "--stdout", "--quiet", ...thin, ...quick];
  const range = [commit, ...held.map((oid) => `^${oid}`)].map((line) => `${line}\n`).join("");
  yield* gitStream(repository.path, args, { input: range, signal });
}

async function* once(text: string): AsyncGenerator<Buffer, void> {
  yield Buffer.from(text);
}

/** Builds ask for them: `git describe` is the version of many a project. */
async function tagsWithin(
  repository: Repository,
  commit: string,
  signal: AbortSignal | undefined,
): Promise<Ref[]> {
  const format = "--format=%(objectname) %(refname)";
  const listed = await git(repository.path, ["for-each-ref", `--merged=${commit}`, format, "refs/tags"], {
    signal,
  });
  return listed
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => ({ oid: line.slice(0, line.indexOf(" ")), name: line.slice(line.indexOf(" ") + 1) }));
}

function explained(exit: ExecExit, stderr: string, path: string): SandboxError {
  const said = lastLines(stderr);
  if (exit.code === cloneStatus.occupied) {
    return new SandboxError(
      "already_exists",
      `the template has a repository or files at ${path} already, which the sandbox's user may not remove`,
      { remedy: `use another template, or one in which ${path} belongs to that user` },
    );
  }
  if (exit.code === 127) {
    return new SandboxError("command_not_found", `the sandbox lacks a tool to clone with: ${said}`, {
      remedy: "use an image that has `git`",
    });
  }
  if (said.includes("No space left")) {
    return new SandboxError("disk_full", `the sandbox has no space for the repository: ${said}`, {
      remedy: "make room on the engine's disk",
    });
  }
  return new SandboxError("git_failed", `the repository could not be put into the sandbox: ${said}`, {
    remedy: "check the host's repository with `git fsck`, and that the image has git 2.30 or newer",
  });
}

function tooShallow(repository: Repository): SandboxError {
  return new SandboxError(
    "unsupported",
    `the shallow history of ${repository.path} ends in too many places`,
    {
      remedy: `git -C ${repository.path} fetch --unshallow`,
    },
  );
}
