import type { Sandbox } from "@opentiger/sandbox";
import type { TaskFailure } from "@opentiger/schema";
import { z } from "zod";
import { untouchedFiles } from "../git/untouched-files.ts";
import { taskFailureOf } from "../recovery/task-failures.ts";
import { sayInside } from "./inside.ts";
import type { StartPoint } from "./start-point.ts";
import type { Work } from "./work.ts";

const committed = z.object({ commit: z.string(), tree: z.string() });
export type Committed = z.infer<typeof committed>;

/**
 * Whatever the agent did with branches, rebases or half a merge: the tree that it left, as one commit on the start. A
 * lock is left where a git was killed, and nothing of the agent runs any more. Hooks and watchers are not asked.
 * What only looks changed to git is left as it was.
 */
const script = `set -e
${untouchedFiles}
rm -f -- "$(git rev-parse --git-dir)/index.lock"
git -c core.hooksPath=/dev/null -c core.fsmonitor=false add --all
untouched_files "$1" | git update-index --index-info
tree=$(git write-tree)
commit=$(git commit-tree "$tree" -p "$1" -m "What the agent left")
git -c core.hooksPath=/dev/null update-ref HEAD "$commit"
echo "$commit $tree"`;

const answer = /^([0-9a-f]{40}|[0-9a-f]{64}) ([0-9a-f]{40}|[0-9a-f]{64})\n$/;

/** Commits in the sandbox what the agent left there. What git refuses to take breaks the rules. */
export async function commitInside(
  work: Work,
  sandbox: Sandbox,
  start: StartPoint,
): Promise<Committed | { failure: TaskFailure }> {
  const known = await work.journal.known("committed", committed);
  if (known) return known;
  const found = await commitNow(work, sandbox, start);
  return "failure" in found ? found : work.journal.step("committed", committed, async () => found);
}

/** The same without writing it down: for work that is not done yet. */
export async function commitNow(
  work: Work,
  sandbox: Sandbox,
  { start }: StartPoint,
): Promise<Committed | { failure: TaskFailure }> {
  const said = await sayInside(work, sandbox, script, { words: [start], env: author(work) });
  const [, commit, tree] = answer.exec(said.stdout) ?? [];
  if (said.code === 0 && commit !== undefined && tree !== undefined) return { commit, tree };
  return {
    failure: taskFailureOf("rules", `git does not take what it left: ${work.redact(said.stderr.trim())}`),
  };
}

/** Nobody sees this commit: the candidate is made of its tree. The same tree is the same commit. */
function author({ run }: Work): Record<string, string> {
  const date = run.startedAt.toISOString();
  return {
    GIT_AUTHOR_NAME: "openTiger",
    GIT_AUTHOR_EMAIL: "opentiger@localhost",
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: "openTiger",
    GIT_COMMITTER_EMAIL: "opentiger@localhost",
    GIT_COMMITTER_DATE: date,
  };
}
