import type { SandboxSummary } from "@opentiger/schema";
import { endRun } from "../agent/end-run.ts";
import { forgetTranscripts } from "../agent/run-files.ts";
import { LeaseLost } from "../stage/lease-lost.ts";
import { addArtifact } from "../state/artifacts.ts";
import { change } from "../state/change.ts";
import { lockLoop } from "../state/locks.ts";
import { waitingMessages } from "../state/task-messages.ts";
import { writeArtifacts } from "./run-artifacts.ts";
import { type RunResult, runColumns } from "./run-result.ts";
import type { StartPoint } from "./start-point.ts";
import { removeTaskSandboxes, taskSandboxes } from "./task-sandbox.ts";
import type { Work } from "./work.ts";

/**
 * The run has ended and its task waits for the judge, in one transaction; then nothing is left of the run but its files.
 * false: a person said something meanwhile that the agent has to hear first, and nothing was changed.
 */
export async function endSubmitted(
  work: Work,
  { base }: StartPoint,
  { candidate, worked, round }: Extract<RunResult, { candidate: string }>,
): Promise<boolean> {
  const { place, lease, run, task, loop } = work;
  const diff = { from: base, to: candidate };
  const artifacts = await writeArtifacts(work, { diff, ...(round ? { round } : {}) });
  const { fence } = lease;
  // Behind the transaction the task is anybody's, and what is there then may be theirs.
  const seen = await taskSandboxes(work).catch(() => []);
  const isEnded = await place.database.transaction(async (on) => {
    await lockLoop(on, loop.id);
    if ((await waitingMessages(on, task.id)) > 0) return false;
    const set = { candidateOid: candidate, ...runColumns(worked) };
    if (!(await endRun(place, on, { id: run.id, by: "succeed", fence, set })))
      throw new LeaseLost(lease.stage);
    for (const artifact of artifacts) await addArtifact(on, artifact);
    const submitted = await change(on, {
      what: "task",
      id: task.id,
      by: "submit",
      from: "running",
      fence,
      set: { candidateOid: candidate, baseOid: base, rework: null, detail: null, notBefore: null },
      data: { run: run.id, candidateOid: candidate },
    });
    if (!submitted.changed) throw new LeaseLost(lease.stage);
    return true;
  });
  if (!isEnded) return false;
  forgetTranscripts(place, run);
  await tidy(work, seen);
  return true;
}

/** The candidate has its own pin. What cannot be removed now is left to the reconciler. */
async function tidy(work: Work, seen: readonly SandboxSummary[]): Promise<void> {
  const { repository, loop, task, say } = work;
  try {
    await removeTaskSandboxes(work, seen);
    for (const name of ["start", "work", "base"])
      await repository.unpin(loop.id, `task-${task.number}/${name}`);
  } catch (error) {
    say(`it is submitted, and not all of it is tidied: ${String(error)}`);
  }
}
