import type { Sandbox } from "@opentiger/sandbox";
import type { TaskFailure } from "@opentiger/schema";
import { z } from "zod";
import { untouchedFiles } from "../git/untouched-files.ts";
import { taskFailureOf } from "../recovery/task-failures.ts";
import { execId } from "../verifying/exec-id.ts";
import { runCommand } from "../verifying/run-command.ts";
import { patienceMs, workspaceOf } from "./inside.ts";
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

/** Of the answer, and of what git complains of. */
const answerBytes = 4_096;
const shownLength = 2_000;

/** Commits in the sandbox what the agent left there. What git refuses to take breaks the rules. */
export async function commitInside(
  work: Work,
  sandbox: Sandbox,
  start: StartPoint,
): Promise<Committed | { failure: TaskFailure }> {
  const known = await work.journal.known("committed", committed);
  if (known) return known;
  const found = await commitNow(work, sandbox, start, "commit");
  return "failure" in found ? found : work.journal.step("committed", committed, async () => found);
}

/** As much of the work as a commit depends on. */
type CommitWork = Pick<Work, "turn" | "redact" | "signal"> & { run: Pick<Work["run"], "id" | "startedAt"> };

/** What it is for: each is done once a turn. */
type Purpose = "commit" | "keep";

/**
 * The same without writing it down: for work that is not done yet. Where whoever asked for it before died, or lost its
 * session, git may still be at it: then its answer is waited for, and no second git breaks into the first one's index.
 */
export async function commitNow(
  work: CommitWork,
  sandbox: Sandbox,
  { start }: Pick<StartPoint, "start">,
  purpose: Purpose = "keep",
): Promise<Committed | { failure: TaskFailure }> {
  const { run, turn, signal, redact } = work;
  const said = await runCommand(sandbox, {
    command: ["sh", "-c", script, "sh", start],
    cwd: workspaceOf(sandbox),
    env: author(work),
    timeoutMs: patienceMs,
    id: execId(run.id, purpose, turn),
    stdoutBytes: answerBytes,
    signal,
  });
  const [, commit, tree] = answer.exec(said.stdout.toString("utf8")) ?? [];
  if (said.exitCode === 0 && commit !== undefined && tree !== undefined) return { commit, tree };
  const words = redact(said.tail.toString("utf8")).trim().slice(-shownLength);
  const why = said.exit.reason === "exited" ? words : `it was ended (${said.exit.reason}) ${words}`.trim();
  return { failure: taskFailureOf("rules", `git does not take what it left: ${why}`) };
}

/** Nobody sees this commit: the candidate is made of its tree. The same tree is the same commit. */
function author({ run }: CommitWork): Record<string, string> {
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
