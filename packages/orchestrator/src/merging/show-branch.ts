import { CodedError } from "@opentiger/schema";
import { LoopRepository } from "../git/repository.ts";
import type { Place } from "../place.ts";
import type { JudgedTask } from "./judged-task.ts";
import type { OnStep } from "./merge-steps.ts";
import { type BranchProjection, projectBranch } from "./project-branch.ts";

/**
 * Shows the branch in the user's repository after a merge. What hinders that undoes no merge: it is said, and whoever
 * reconciles tries it again. The lease has ended by then, and its signal with it.
 */
export async function showBranch(
  place: Place,
  { repository: { userPath }, loop }: JudgedTask,
  onStep: OnStep,
): Promise<void> {
  const say = (why: string): void =>
    place.log(`loop ${loop.id}: ${loop.branch} is not shown in ${userPath}: ${why}`);
  try {
    const repository = await LoopRepository.open(place, { id: loop.repository, path: userPath });
    const hindrance = hindranceOf(await projectBranch(place, repository, loop.id, onStep));
    if (hindrance) say(hindrance);
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    say(error.message);
  }
}

function hindranceOf(shown: BranchProjection): string | undefined {
  if ("movedBy" in shown) return `somebody else moved it to ${shown.movedBy}; the loop is paused`;
  if ("checkedOut" in shown) return `it is checked out in ${shown.checkedOut}`;
  return undefined;
}
