import type { TaskFailure } from "@opentiger/schema";
import { z } from "zod";
import { runFolder } from "../agent/run-files.ts";
import { commitOf, mergeCandidate } from "../merging/merged-candidate.ts";
import { taskFailureOf } from "../recovery/task-failures.ts";
import { Journal } from "../stage/journal.ts";
import { listTaskRuns } from "../state/runs.ts";
import { taskSandboxName, type Work } from "./work.ts";

const lockedFile = z.object({ path: z.string(), oid: z.string() });

export const startPoint = z.object({
  /** The branch as it was then: how its checks stood there is what the work is measured by. null: nobody wrote it down. */
  tip: z.string().nullable().default(null),
  /** The branch with the tests that were held for the task: what its candidate is built on and compared with. */
  base: z.string(),
  /** What the agent finds: the base, with the work that there is already. */
  start: z.string(),
  /** Tests that must stay as they are, as they are in the base. */
  locked: z.array(lockedFile),
  /** The id of the sandbox that was kept for this run; null: a new one is made. */
  sandbox: z.string().nullable(),
  /** Earlier work that does not fit on the branch any more, as a patch to read. */
  patch: z.string().nullable(),
});
export type StartPoint = z.infer<typeof startPoint>;

/** Of earlier work that the agent is shown: it has the rest to write anew in any case. */
const patchBytes = 200_000;

/**
 * Where the agent begins: in the sandbox that was kept for it, else on the loop's branch as it is now, with the tests
 * that were written for the task and with its own work of before. Decided once for a run.
 */
export async function findStart(work: Work): Promise<StartPoint | { failure: TaskFailure }> {
  const { journal } = work;
  const known = await journal.known("start", startPoint);
  if (known) return known;
  const found = (await keptStart(work)) ?? (await newStart(work));
  if ("failure" in found) return found;
  await pinStart(work, found);
  const decided = await journal.step("start", startPoint, async () => found);
  // Who slept over the finding has pinned what nobody begins with.
  if (decided.base !== found.base || decided.start !== found.start) await pinStart(work, decided);
  return decided;
}

/** Its base is the one it had: what came to the branch since is the judge's to bring together. */
async function keptStart(work: Work): Promise<StartPoint | undefined> {
  const { place, task, run, environment } = work;
  if (task.rework?.sandbox !== taskSandboxName(work)) return undefined;
  const runs = await listTaskRuns(place.database, { task: task.id, limit: 500 });
  const before = runs.items.findLast(({ number, role }) => number < run.number && role === task.role);
  const journal = before && new Journal(runFolder(place, before));
  const start = await journal?.known("start", startPoint);
  const used = await journal?.known("sandbox", z.object({ id: z.string() }));
  if (!start || !used) return undefined;
  const backend = await place.backend(environment);
  const there = (await backend.list()).find(({ name }) => name === task.rework?.sandbox);
  return there?.id === used.id ? { ...start, sandbox: used.id } : undefined;
}

async function newStart(work: Work): Promise<StartPoint | { failure: TaskFailure }> {
  const { repository, task, tip } = work;
  const merged = await withHeld(work);
  if (!merged.ok)
    return { failure: taskFailureOf("conflict", `the tests for it, in ${merged.conflicts.join(", ")}`) };
  const base = merged.onto;
  const fresh: StartPoint = {
    tip,
    base,
    start: base,
    locked: await lockedIn(work, base),
    sandbox: null,
    patch: null,
  };
  const from = task.rework?.from;
  if (!from || task.baseOid === null) return fresh;
  const again = await repository.mergeTrees({ base: task.baseOid, ours: base, theirs: from });
  if (!again.ok) {
    const { text } = await repository.diff(task.baseOid, from, { maxBytes: patchBytes });
    return { ...fresh, patch: text };
  }
  const same = again.tree === (await repository.tree(base));
  return same ? fresh : { ...fresh, start: await commitOf(repository, again.tree, base) };
}

/** The branch with the tests that were held for the task. Most tasks have none, and then there is nothing to merge. */
async function withHeld({
  repository,
  tip,
  held,
}: Work): Promise<{ ok: true; onto: string } | { ok: false; conflicts: string[] }> {
  if (held.length === 0) return { ok: true, onto: tip };
  return mergeCandidate(repository, { tip, held, baseOid: tip, candidateOid: tip });
}

async function lockedIn({ repository, held }: Work, base: string): Promise<StartPoint["locked"]> {
  const paths = new Set<string>();
  for (const { baseOid, candidateOid } of held) {
    if (baseOid === null || candidateOid === null) continue;
    for (const { path, status } of await repository.changes(baseOid, candidateOid))
      if (status !== "deleted") paths.add(path);
  }
  if (paths.size === 0) return [];
  const files = await repository.listFiles(base);
  return files.flatMap(({ path, oid }) => (paths.has(path) ? [{ path, oid }] : []));
}

/** They are on no branch, and must be there while the run is. */
async function pinStart({ repository, loop, task }: Work, { base, start }: StartPoint): Promise<void> {
  await Promise.all([
    repository.pin(loop.id, `task-${task.number}/base`, base),
    repository.pin(loop.id, `task-${task.number}/start`, start),
  ]);
}
