import { firstCharacters } from "@opentiger/schema";
import { placedText } from "../agent/said.ts";
import { testedWorker } from "../state/held-tests.ts";
import type { Queryable } from "../state/rows.ts";
import type { NewMessage } from "../state/task-messages.ts";
import type { TaskRow } from "../state/tasks.ts";
import { insertTask } from "./add-task.ts";
import { existingLoop } from "./existing.ts";
import { taskNotNow } from "./refusal.ts";
import { reopenLoop } from "./retry-task.ts";
import type { LoopPlace } from "./start-loop.ts";

const longestTitle = 200;

/** So many files a task may be allowed by name. */
const mostPaths = 200;

export interface ReworkOfDone {
  on: Queryable;
  /** Is done. */
  task: TaskRow;
  said: readonly NewMessage[];
  /** What it changed, and so what the new one may change too, although it is on the branch now. */
  touched: readonly string[];
}

/**
 * Part of a transaction that has locked the loop: another task for what a person wants changed in work that is on the
 * branch. A loop that has ended is open again; one that was cancelled or discarded has no branch to go on with.
 */
export async function addReworkTask(
  place: Pick<LoopPlace, "config">,
  { on, task, said, touched }: ReworkOfDone,
): Promise<TaskRow> {
  const needs = await builtOn(on, task);
  const loop = await existingLoop(on, task.loop);
  await reopenLoop(on, loop);
  const { role, allowedPaths, mayChange, verify, risk, agent } = task;
  return insertTask(place, on, await existingLoop(on, task.loop), {
    title: firstCharacters(`Rework of task ${task.number}: ${task.title}`, longestTitle),
    role,
    instructions: instructionsOf(task, said),
    needs: [needs],
    allowedPaths,
    mayChange: [...new Set([...mayChange, ...touched])].slice(0, mostPaths),
    verify,
    risk,
    agent,
  });
}

/** Tests come to the branch with the code of their worker's task, and nobody but that one may need them. */
async function builtOn(on: Queryable, task: TaskRow): Promise<number> {
  if (task.role !== "tester") return task.number;
  const worker = await testedWorker(on, task.id);
  if (!worker) return task.number;
  if (worker.state === "done") return worker.number;
  const remedy = `Its tests wait for the code of task ${worker.number}: send that one back when it is there.`;
  throw taskNotNow(task, "sent back", remedy);
}

function instructionsOf({ number, title, instructions }: TaskRow, said: readonly NewMessage[]): string {
  const points = said.map((one) => `- ${placedText(one).replaceAll("\n", "\n  ")}`).join("\n");
  return [
    `Task ${number} of this loop (${title}) is done, and its work is in the repository. A person looked at it and wants this changed; the numbers of lines are those of that work:`,
    points,
    "Change this and nothing else. The task was:",
    instructions
      .split("\n")
      .map((line) => `> ${line}`)
      .join("\n"),
  ].join("\n\n");
}
