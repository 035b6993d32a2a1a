import { OrchestratorError } from "../errors.ts";
import { LoopRepository } from "../git/repository.ts";
import type { Place } from "../place.ts";
import { heldTests, testedWorker } from "../state/held-tests.ts";
import type { Lease } from "../state/lease.ts";
import { findLoop, type LoopRow } from "../state/loops.ts";
import { findRepository } from "../state/repositories.ts";
import { type RunRow, runOfCandidate } from "../state/runs.ts";
import { findTask, type TaskRow } from "../state/tasks.ts";

/** A task whose candidate is to be judged or merged, as it stands now. */
export interface JudgedTask {
  loop: LoopRow;
  task: TaskRow;
  repository: LoopRepository;
  /** Where the loop's branch is. */
  tip: string;
  /** The commit that the agent was given. */
  baseOid: string;
  candidateOid: string;
  /** The run that made it. */
  run: RunRow;
  /** Tests that were written for it, and come to the branch together with it. */
  held: TaskRow[];
  /** The task for which these are the tests; they stay off the branch until that one is there. */
  heldFor: TaskRow | undefined;
}

export async function readJudgedTask(place: Place, lease: Lease, signal: AbortSignal): Promise<JudgedTask> {
  const { database } = place;
  const [loop, task] = await Promise.all([
    findLoop(database, lease.loop),
    lease.task === null ? undefined : findTask(database, lease.task),
  ]);
  if (!loop || !task) throw incomplete(lease, "is not there");
  const { branchOid: tip } = loop;
  const { baseOid, candidateOid } = task;
  if (tip === null) throw incomplete(lease, "belongs to a loop whose branch has no commit");
  if (baseOid === null || candidateOid === null) throw incomplete(lease, "has no candidate");
  const [row, run, held, heldFor] = await Promise.all([
    findRepository(database, loop.repository),
    runOfCandidate(database, task.id, candidateOid),
    heldTests(database, task.id),
    task.role === "tester" ? testedWorker(database, task.id) : undefined,
  ]);
  if (!row || !run) throw incomplete(lease, "has no repository, or no run that made its candidate");
  const repository = await LoopRepository.open(place, row, signal);
  return { loop, task, repository, tip, baseOid, candidateOid, run, held, heldFor };
}

function incomplete({ stage, task }: Lease, problem: string): OrchestratorError {
  return new OrchestratorError("internal", `task ${task} of stage ${stage} ${problem}`);
}
