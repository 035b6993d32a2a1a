import { SandboxError } from "../errors.ts";
import { type Inside, runInside } from "../files/inside-command.ts";
import { lastLines } from "../files/untrusted-text.ts";
import { heldScript } from "./clone-script.ts";
import { gitInside } from "./git-environment.ts";
import { git } from "./host-git.ts";
import { type Repository, shallowBoundary } from "./repository.ts";

/** A few lines of git's; a repository that was made to take longer is put in anew. */
const patienceMs = 20_000;

/**
 * The commits of a clone inside that need not travel again to bring it to another one. None where there is no clone,
 * or one of another kind: then everything travels. What comes from inside is not believed to be true, only to be
 * worth a try.
 */
export async function heldCommits(
  inside: Inside,
  repository: Repository,
  { commit, path, signal }: { commit: string; path: string; signal: AbortSignal | undefined },
): Promise<string[]> {
  const [said, boundary] = await Promise.all([
    ask(inside, path, signal),
    shallowBoundary(repository, commit, signal),
  ]);
  const [format, ...lines] = said.split("\n");
  const named = (kind: string) =>
    lines.flatMap((line) => (line.startsWith(`${kind} `) ? [line.slice(kind.length + 1)] : []));
  const commits = named("commit").filter((oid) => isOid(oid, repository));
  if (format !== repository.format || commits.length === 0) return [];
  // A history that ends elsewhere lacks what the host would not send.
  if (!isSame(new Set(named("shallow")), new Set(boundary))) return [];
  return knownToHost(repository, commits, signal);
}

async function ask(inside: Inside, path: string, signal: AbortSignal | undefined): Promise<string> {
  try {
    return await runInside(inside, ["sh", "-c", heldScript, "sh", path], {
      env: gitInside,
      timeoutMs: patienceMs,
      signal,
      failure: (_exit, stderr) => new SandboxError("git_failed", lastLines(stderr)),
    });
  } catch (error) {
    const isAnswer = error instanceof SandboxError && ["git_failed", "timeout"].includes(error.code);
    if (isAnswer) return "";
    throw error;
  }
}

function isOid(text: string, { format }: Repository): boolean {
  return (format === "sha1" ? /^[0-9a-f]{40}$/ : /^[0-9a-f]{64}$/).test(text);
}

function isSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((each) => other.has(each));
}

async function knownToHost(
  repository: Repository,
  commits: readonly string[],
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const input = commits.map((oid) => `${oid}\n`).join("");
  const format = "--batch-check=%(objectname) %(objecttype)";
  const listed = await git(repository.path, ["cat-file", format], { input, signal });
  return listed.split("\n").flatMap((line) => (line.endsWith(" commit") ? [line.split(" ")[0] ?? ""] : []));
}
