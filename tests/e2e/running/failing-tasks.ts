import type { TaskFailureType } from "@opentiger/schema";
import { expect } from "vitest";
import { executeStage } from "../../../packages/orchestrator/src/dispatch/execute-stage.ts";
import { taskFailureRules } from "../../../packages/orchestrator/src/recovery/task-failures.ts";
import type { NewTask } from "../../../packages/orchestrator/src/state/tasks.ts";
import { seldomMs, until } from "../../setup/until.ts";
import type { LoopParts, RunningWorld } from "./running-world.ts";

/** Far more than it takes on a busy machine. */
export const patienceMs = 600_000;

/** So many at the same time: one waits while others work. */
const atOnce = 3;

/** A task whose every run fails of the same. */
export interface FailureCase {
  type: TaskFailureType;
  task: Partial<NewTask>;
  about?: LoopParts;
  /** So often it has been tried already, where each run takes its time. */
  before?: number;
}

export interface BegunCase {
  world: RunningWorld;
  type: TaskFailureType;
  id: string;
  loop: string;
  before: number;
}

/** A task for an agent without a model, which does what stands behind RUN:. */
export function doing(command: string): Partial<NewTask> {
  return { agent: "command", instructions: `RUN: ${command}` };
}

/** Executes whatever can be claimed, whatever pause it is in, until there is nothing any more. */
export async function workOff(world: RunningWorld): Promise<void> {
  await Promise.all(Array.from({ length: atOnce }, () => workOffOne(world)));
}

async function workOffOne(world: RunningWorld): Promise<void> {
  while (await isAny(world, "ready", "claimed")) {
    const lease = await world.claim().catch(() => undefined);
    if (lease) await executeStage(world.place, lease, new AbortController().signal);
    else
      await until(
        "there is something to do, or nothing any more",
        async () => (await isAny(world, "ready")) || !(await isAny(world, "claimed")),
        patienceMs,
        seldomMs,
      );
  }
}

async function isAny({ place }: RunningWorld, ...states: readonly string[]): Promise<boolean> {
  const asked = "select 1 from stages where kind = 'run' and state = any ($1)";
  return (await place.database.query(asked, [states])).count > 0;
}

/** A loop with the one task of this case, which has been tried so often already as the case says. */
export async function begin(
  world: RunningWorld,
  { type, task, about, before = 0 }: FailureCase,
): Promise<BegunCase> {
  const { loop, tasks } = await world.loop([task], about);
  const id = tasks[0]?.id ?? "";
  const tries = JSON.stringify(before === 0 ? {} : { [type]: before });
  await world.place.database.query("update tasks set tries = $2::jsonb where id = $1", [id, tries]);
  return { world, type, id, loop: loop.id, before };
}

/**
 * The task failed of this, as often as the table allows, and says all that a person needs: what happened, what to do, and
 * how often it was tried. Of its sandboxes nothing is left.
 */
export async function expectItsEnd({ world, type, id, loop, before }: BegunCase): Promise<void> {
  const { limit } = taskFailureRules[type];
  const end = type === "lost" || type === "removed" ? "lost" : "failed";
  const task = await world.task(id);
  const runs = await world.runs(task);
  expect(runs.map(({ state, failure }) => [state, failure?.type])).toEqual(
    Array.from({ length: Number(limit) + 1 - before }, () => [end, type]),
  );
  expect(task).toMatchObject({ state: "failed", tries: limit === 0 ? {} : { [type]: limit } });
  expect(task.detail).toContain(runs.at(-1)?.failure?.message.slice(0, 100));
  expect(task.detail).toContain(runs.at(-1)?.failure?.remedy);
  expect(task.detail).toMatch(runs.length === 1 ? /one run/ : new RegExp(`${runs.length} runs`));
  const left = [...(await world.sandboxes({ id: loop })).keys()].filter((name) => name.endsWith("-1"));
  expect(left).toEqual([]);
}
