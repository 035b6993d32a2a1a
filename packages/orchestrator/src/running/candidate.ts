import type { Sandbox } from "@opentiger/sandbox";
import type { ReworkPoint, TaskFailure } from "@opentiger/schema";
import { z } from "zod";
import { OrchestratorError } from "../errors.ts";
import { gitAuthor } from "../git/author.ts";
import { commitMessage } from "../git/commit-message.ts";
import { checkRules } from "../git/rules.ts";
import { taskFailureOf } from "../recovery/task-failures.ts";
import type { Committed } from "./harness-commit.ts";
import { workspaceOf } from "./inside.ts";
import type { StartPoint } from "./start-point.ts";
import type { Work } from "./work.ts";

type Refused = { failure: TaskFailure; points: ReworkPoint[] };
export type Collected = { candidate: string } | Refused;

export const knownCandidate = z.object({ candidate: z.string() });

/**
 * The candidate: one commit on the base with the tree that the agent left, in our own repository and kept there, if the
 * changes are such as the task may make. The same run always makes the same commit.
 */
export async function collectCandidate(
  work: Work,
  sandbox: Sandbox,
  start: StartPoint,
  left: Committed,
): Promise<Collected> {
  const { repository, journal, task, loop, project } = work;
  const collected = await journal.known("candidate", knownCandidate);
  if (collected) return collected;
  const head = await collectCommit(work, sandbox, start, left);
  if ("failure" in head) return head;
  const changes = await unlessRefused(() => repository.changes(start.base, head.oid));
  if ("failure" in changes) return changes;
  const points = checkRules(changes, {
    allowedPaths: task.allowedPaths,
    mayChange: task.mayChange,
    role: task.role,
    project,
    locked: new Map(start.locked.map(({ path, oid }) => [path, oid])),
  });
  if (points.length > 0) return { failure: taskFailureOf("rules", points[0]?.text), points };
  return journal.step("candidate", knownCandidate, async () => {
    const candidate = await writeCandidate(work, start, left.tree);
    await repository.pin(loop.id, `task-${task.number}/candidate`, candidate);
    return { candidate };
  });
}

/** Work that is not done, kept for the next run. undefined: it cannot be had, and that run begins without it. */
export async function keepWork(
  work: Work,
  sandbox: Sandbox,
  start: StartPoint,
  left: Committed,
): Promise<string | undefined> {
  const { repository, loop, task } = work;
  const head = await collectCommit(work, sandbox, start, left);
  if ("failure" in head || left.tree === (await repository.tree(start.base))) return undefined;
  const kept = await writeCandidate(work, start, left.tree);
  await repository.pin(loop.id, `task-${task.number}/work`, kept);
  return kept;
}

async function collectCommit(
  { repository, signal }: Work,
  sandbox: Sandbox,
  { start }: StartPoint,
  { commit, tree }: Committed,
): Promise<{ oid: string } | Refused> {
  const path = workspaceOf(sandbox);
  return unlessRefused(async () => {
    const { headOid } = await repository.collect(sandbox, { name: sandbox.name, path, base: start, signal });
    if (headOid !== commit)
      return refused("the verify commands moved HEAD; they may change files, and no history");
    // In there the agent may have answered in the place of git.
    if ((await repository.tree(headOid)) === tree) return { oid: headOid };
    return refused("the commit that was handed over is not what git was said to have written");
  });
}

/** What cannot be taken is the agent's to mend, and no trouble of the machine. */
async function unlessRefused<T>(act: () => Promise<T>): Promise<T | Refused> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof OrchestratorError) || error.code !== "commits_refused") throw error;
    return refused([error.message, error.remedy].filter(Boolean).join(": "));
  }
}

function refused(text: string): Refused {
  return { failure: taskFailureOf("rules", text), points: [{ by: "rules", file: null, line: null, text }] };
}

async function writeCandidate(work: Work, { base }: StartPoint, tree: string): Promise<string> {
  const { place, repository, loop, task, run } = work;
  return repository.commit({
    tree,
    parents: [base],
    message: commitMessage({ title: task.title, loop: loop.id, tasks: [task.number], run: run.id }),
    author: await gitAuthor(place, place.config, repository.userPath),
    date: run.startedAt,
  });
}
