import { LoopRepository } from "../git/repository.ts";
import type { Place } from "../place.ts";
import { removeSeen } from "../project/remove-sandbox.ts";
import { readSandboxName, taskOfSandbox } from "../project/sandbox-name.ts";
import { findLoop, type LoopRow } from "../state/loops.ts";
import type { TaskRow } from "../state/tasks.ts";
import type { JudgedTask } from "./judged-task.ts";

/**
 * Removes what a task needed that is done: its sandboxes, and the pins of commits that the branch has now. Tests that
 * wait for their code keep theirs. What cannot be removed is left to whoever collects what ended loops left.
 */
export async function tidyTask(place: Place, judged: JudgedTask): Promise<void> {
  const { loop, task, held, heldFor } = judged;
  try {
    if (!heldFor) await dropPins(place, judged, [task, ...held]);
    await removeSandboxes(place, loop, task);
  } catch (error) {
    place.log(
      `task ${task.number} of loop ${loop.id} is merged, and not all of it is tidied: ${String(error)}`,
    );
  }
}

async function dropPins(
  place: Place,
  { repository: { userPath }, loop }: JudgedTask,
  tasks: readonly TaskRow[],
): Promise<void> {
  const repository = await LoopRepository.open(place, { id: loop.repository, path: userPath });
  const pins = await repository.pins(loop.id);
  // Until the branch itself is pinned, these alone keep its commits.
  if (pins.get("branch") !== (await findLoop(place.database, loop.id))?.branchOid) return;
  for (const name of pins.keys())
    if (tasks.some(({ number }) => name.startsWith(`task-${number}/`))) await repository.unpin(loop.id, name);
}

async function removeSandboxes(place: Place, { id, settings }: LoopRow, { number }: TaskRow): Promise<void> {
  const environment = settings.environment ?? place.config.get("EXECUTION_ENVIRONMENT");
  const backend = await place.backend(environment);
  for (const sandbox of await backend.list()) {
    const of = sandbox.own ? readSandboxName(sandbox.name) : undefined;
    if (of?.loop === id && taskOfSandbox(of) === number) await removeSeen(backend, sandbox);
  }
}
