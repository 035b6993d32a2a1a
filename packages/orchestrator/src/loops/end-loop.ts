import type { TaskState } from "@opentiger/schema";
import { change } from "../state/change.ts";
import type { Database } from "../state/database.ts";
import { settleDependents } from "../state/dependents.ts";
import type { LoopRow } from "../state/loops.ts";
import type { TaskRow } from "../state/tasks.ts";
import { allows } from "../state/transitions.ts";
import { unshownIn, withUnshown } from "../state/unshown.ts";
import { withLoop } from "./existing.ts";
import { summarise } from "./summarise.ts";
import { tasksOf } from "./tasks-of.ts";

/** In which nothing of ours moves a task on. One that is paused is a person's, who may resume it. */
const still: readonly TaskState[] = ["done", "failed", "cancelled", "blocked(dependency_failed)"];

/** So many of the tasks that failed are named; the summary has all. */
const toldFailures = 5;

/**
 * Ends a loop of which no task can move any more, if it runs, or would if it had a budget, which it does not need: *done*
 * where all that was not cancelled is done, else *failed* with what is missing. undefined: it is not over, or not running.
 */
export async function endLoopIfOver(database: Database, id: string): Promise<LoopRow | undefined> {
  let ended = false;
  const loop = await withLoop(database, id, async (on, { state, detail }) => {
    ended = false;
    if (!allows("loop", "finish", state)) return;
    await settleDependents(on, id);
    const tasks = await tasksOf(on, id);
    if (tasks.some((task) => !still.includes(task.state))) return;
    const summary = await summarise(on, id);
    const missing = whatIsMissing(tasks);
    const unshown = unshownIn(detail);
    const asked = { what: "loop", id, from: state } as const;
    await (missing === null
      ? change(on, {
          ...asked,
          by: "finish",
          set: { summary, detail: withUnshown(testsWithoutCode(tasks), unshown) },
        })
      : change(on, {
          ...asked,
          by: "fail",
          set: { summary, detail: withUnshown(missing, unshown) },
          data: { detail: missing },
        }));
    ended = true;
  });
  return ended ? loop : undefined;
}

/** null: nothing is. */
function whatIsMissing(tasks: readonly TaskRow[]): string | null {
  const failed = tasks.filter(({ state }) => state === "failed");
  const waiting = tasks.filter(({ state }) => state === "blocked(dependency_failed)");
  if (failed.length === 0 && waiting.length === 0)
    return tasks.some(({ state }) => state === "done") ? null : "All its tasks were cancelled.";
  const told = failed.slice(0, toldFailures).map(({ number, title, detail }) => {
    return `Task ${number} (${title}) failed${detail === null ? "." : `: ${detail.replaceAll("\n", " ")}`}`;
  });
  if (failed.length > toldFailures) told.push(`So did ${failed.length - toldFailures} more.`);
  if (waiting.length > 0) {
    const which = waiting.map(({ number }) => number).join(", ");
    told.push(`Not begun, since they need a task that has not been done: ${which}.`);
  }
  return told.join(" ");
}

/** They were written for code that was cancelled, and are not on the branch. null: there are none. */
function testsWithoutCode(tasks: readonly TaskRow[]): string | null {
  const held = tasks.filter(({ state, mergedOid }) => state === "done" && mergedOid === null);
  if (held.length === 0) return null;
  const which = held.map(({ number, title }) => `task ${number} (${title})`).join(", ");
  return `Not on the branch, since the code for them was cancelled: the tests of ${which}.`;
}
