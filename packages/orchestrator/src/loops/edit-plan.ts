import type { Plan, PlannedTask } from "@opentiger/schema";
import { checkPlan } from "../planning/check-plan.ts";
import { change } from "../state/change.ts";
import { updateTask } from "../state/edited-tasks.ts";
import { appendEvent } from "../state/events.ts";
import type { LoopRow } from "../state/loops.ts";
import { testPathsOf } from "../state/planning.ts";
import type { Queryable } from "../state/rows.ts";
import { addTasks, type TaskRow } from "../state/tasks.ts";
import { allows } from "../state/transitions.ts";
import { withLoop } from "./existing.ts";
import { loopNotNow, refuseUnseen } from "./refusal.ts";
import type { LoopPlace } from "./start-loop.ts";
import { tasksOf } from "./tasks-of.ts";
import { keysOf, replacePlan } from "./waiting-plan.ts";

/**
 * Puts another plan in the place of one that waits for a person: tasks with a key that there was are said anew and keep
 * their number, new keys are new tasks, and what is not in it any more is cancelled. All of it, or nothing; nothing,
 * too, where they say which version they saw, and it is another one by now.
 */
export async function editPlan(
  { database, config }: LoopPlace,
  id: string,
  plan: Plan,
  { seen }: { seen?: string | undefined } = {},
): Promise<LoopRow> {
  return withLoop(database, id, async (on, loop) => {
    if (loop.state !== "awaiting_approval") throw loopNotNow(loop, "planned anew");
    refuseUnseen(loop, seen);
    const testPaths = await testPathsOf(on, id);
    checkPlan(plan, { tasks: config.get("OPENTIGER_MAX_TASKS"), testPaths });
    const before = await tasksOf(on, id);
    const keys = keysOf(before);
    const open = before.filter(({ state }) => state !== "cancelled");
    for (const task of before) if (task.state === "cancelled") await freeItsKey(on, task);
    await replaceTasks(on, id, plan, new Map(open.map((task) => [keys.get(task.number) ?? "", task])));
    await replacePlan(on, loop, plan);
    await appendEvent(on, { loop: id, type: "loop.edit", data: { tasks: plan.tasks.length } });
  });
}

/** `known` are those that there are, by the keys that the plan has for them. */
async function replaceTasks(
  on: Queryable,
  loop: string,
  plan: Plan,
  known: ReadonlyMap<string, TaskRow>,
): Promise<void> {
  // Before anything is changed nothing needs anything, so that no order of the changes makes a circle on the way.
  for (const task of known.values()) if (task.needs.length > 0) await updateTask(on, task, { needs: [] });
  const numbers = await addNew(on, loop, plan, known);
  for (const { needs, ...fields } of plan.tasks) {
    const task = known.get(fields.key);
    if (task) await updateTask(on, task, { ...fields, needs: inNumbers(needs, numbers) });
  }
  const wanted = new Set(plan.tasks.map(({ key }) => key));
  for (const [key, task] of known) if (!wanted.has(key)) await takeOut(on, task);
}

/** The numbers of all tasks of the plan, by their keys. */
async function addNew(
  on: Queryable,
  loop: string,
  plan: Plan,
  known: ReadonlyMap<string, TaskRow>,
): Promise<Map<string, number>> {
  const added = plan.tasks.filter(({ key }) => !known.has(key));
  const numbers = new Map([...known].map(([key, { number }]) => [key, number]));
  const given = await addTasks(on, loop, added.map(withoutNeeds), "blocked(awaiting_approval)");
  for (const [index, { key }] of added.entries()) numbers.set(key, given[index] ?? 0);
  const rows = new Map((await tasksOf(on, loop)).map((task) => [task.number, task]));
  for (const { key, needs } of added) {
    const row = rows.get(numbers.get(key) ?? 0);
    if (row && needs.length > 0) await updateTask(on, row, { needs: inNumbers(needs, numbers) });
  }
  return numbers;
}

function withoutNeeds(task: PlannedTask): Omit<PlannedTask, "needs"> & { needs: number[] } {
  return { ...task, needs: [] };
}

function inNumbers(needs: readonly string[], numbers: ReadonlyMap<string, number>): number[] {
  return needs.flatMap((key) => numbers.get(key) ?? []);
}

async function takeOut(on: Queryable, task: TaskRow): Promise<void> {
  if (!allows("task", "cancel", task.state)) return;
  const set = { detail: "It was taken out of the plan." };
  await change(on, { what: "task", id: task.id, by: "cancel", from: task.state, set });
  await freeItsKey(on, task);
}

/** The plan, or one that is edited once more, may have another task of that name. */
async function freeItsKey(on: Queryable, task: TaskRow): Promise<void> {
  if (task.key !== null) await updateTask(on, task, { key: null });
}
