import { isDeepStrictEqual } from "node:util";
import type { Plan } from "@opentiger/schema";
import { whyItStillWaits } from "../planning/approval.ts";
import { freeKey } from "../planning/free-key.ts";
import { findLoop, type LoopRow, setLoopPlan } from "../state/loops.ts";
import type { Queryable } from "../state/rows.ts";
import type { TaskRow } from "../state/tasks.ts";
import { tasksOf } from "./tasks-of.ts";

/**
 * Part of every transaction in which somebody does something to a loop: a plan that waits for a person is what its tasks
 * are, so that whoever edits what is shown takes nothing back that was done to a task. The loop as it is then.
 */
export async function keepWaitingPlan(on: Queryable, loop: LoopRow): Promise<LoopRow> {
  if (loop.state !== "awaiting_approval" || loop.plan === null) return loop;
  const plan = planOf(await tasksOf(on, loop.id), loop.plan);
  if (isDeepStrictEqual(plan, loop.plan)) return loop;
  return replacePlan(on, loop, plan);
}

/** Another plan in the place of the loop's, with what there is to say of why it waits. The loop as it is then. */
export async function replacePlan(on: Queryable, loop: LoopRow, plan: Plan): Promise<LoopRow> {
  const detail = whyItStillWaits(loop.detail, loop.plan ?? plan, plan);
  await setLoopPlan(on, { id: loop.id, detail }, plan);
  return (await findLoop(on, loop.id)) ?? loop;
}

/** The keys of all tasks, by their numbers. One that was added by itself has none of its own, and is called by its number. */
export function keysOf(tasks: readonly TaskRow[]): Map<number, string> {
  const taken = new Set(tasks.flatMap(({ key }) => key ?? []));
  const keys = new Map<number, string>();
  for (const { number, key } of tasks) {
    const called = key ?? freeKey(`task-${number}`, taken);
    taken.add(called);
    keys.set(number, called);
  }
  return keys;
}

/**
 * In the order that the plan had, and what is new behind it. A task that needs a cancelled one still says so: whether it
 * can do without is not ours to decide, and a plan with such a need is refused until somebody has.
 */
function planOf(tasks: readonly TaskRow[], before: Plan): Plan {
  const keys = keysOf(tasks);
  const keyOf = (number: number): string => keys.get(number) ?? "";
  const order = before.tasks.map(({ key }) => key);
  const place = (key: string): number => (order.includes(key) ? order.indexOf(key) : order.length);
  const open = tasks
    .filter(({ state }) => state !== "cancelled")
    .map((task) => ({
      key: keyOf(task.number),
      title: task.title,
      role: task.role,
      instructions: task.instructions,
      needs: task.needs.map(keyOf),
      allowedPaths: task.allowedPaths,
      mayChange: task.mayChange,
      verify: task.verify,
      risk: task.risk,
      estimate: task.estimate,
    }));
  return {
    summary: before.summary,
    tasks: open.toSorted((one, other) => place(one.key) - place(other.key)),
  };
}
