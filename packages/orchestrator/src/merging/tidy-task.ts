import { LoopRepository } from "../git/repository.ts";
import type { Place } from "../place.ts";
import { findLoop } from "../state/loops.ts";
import type { TaskRow } from "../state/tasks.ts";
import type { JudgedTask } from "./judged-task.ts";

/**
 * Removes what a task needed that is done: the pins of commits that the branch has now. Tests that wait for their code
 * keep theirs. Its sandboxes went with the stages that made them: by now some may be those of whoever works on it again.
 * What cannot be removed is left to whoever collects what ended loops left.
 */
export async function tidyTask(place: Place, judged: JudgedTask): Promise<void> {
  const { loop, task, held, heldFor } = judged;
  if (heldFor) return;
  try {
    await dropPins(place, judged, [task, ...held]);
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
