import type { ExecExit } from "@opentiger/schema";
import { SandboxError } from "../errors.ts";
import { type Inside, runInside } from "../files/inside-command.ts";
import { lastLines } from "../files/untrusted-text.ts";
import { type Ref, writeHeader } from "./bundle.ts";
import { cloneScript, cloneStatus, refsScript } from "./clone-script.ts";
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
  signal?: AbortSignal | undefined;
}

/** More boundaries than this do not fit the arguments of a command. */
const mostBoundaries = 20_000;

/** Variables for git inside: nothing asks, nothing is fetched on the side. */
export const insideEnvironment = { LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_LFS_SKIP_SMUDGE: "1" };

/**
 * Puts the history of one commit into a sandbox, with the tags that lie in it, as a bundle that streams from the
 * host's git into the sandbox's. Nothing is written on the host.
 */
export async function transfer(inside: Inside, options: Transfer): Promise<void> {
  const { repository, commit, signal } = options;
  const boundary = commit ? await shallowBoundary(repository, commit, signal) : [];
  if (boundary.length > mostBoundaries) throw tooShallow(repository);
  if (commit) await checkComplete(repository, commit, signal);
  const origin = publicOrigin(repository.settings.get("remote.origin.url")) ?? "";
  const args = [options.path, options.branch ?? "", commit ?? "", repository.format, origin, ...boundary];
  const finding = commit ? tagsWithin(repository, commit, signal) : Promise.resolve([]);
  finding.catch(() => {}); // Awaited below, unless the transfer fails first.
  await runIn(inside, options, [cloneScript, "sh", ...args], commit ? bundle(options, commit) : undefined);
  const tags = await finding;
  if (tags.length === 0) return;
  const lines = tags.map(({ name, oid }) => `create ${name} ${oid}\n`).join("");
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
    env: insideEnvironment,
    signal: options.signal,
    failure: (exit, stderr) => explained(exit, stderr, options.path),
  });
}

/** A header of ours and a pack of git's. Made by hand, since `git bundle` takes no commit without a ref. */
async function* bundle(options: Transfer, commit: string): AsyncGenerator<Buffer, void> {
  const { repository, branch, signal } = options;
  const tip = { name: branch === undefined ? "HEAD" : `refs/heads/${branch}`, oid: commit };
  yield writeHeader({ format: repository.format, prerequisites: [], refs: [tip] });
  // It crosses a socket, not a network: deltas are used where they exist and not searched for.
  const quick = ["--delta-base-offset", "--window=0", "--compression=1"];
  const args = ["pack-objects", "--revs", "--include-tag", "--stdout", "--quiet", ...quick];
  yield* gitStream(repository.path, args, { input: `${commit}\n`, signal });
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
      `the template has a repository at ${path} already, which the sandbox's user may not remove`,
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
