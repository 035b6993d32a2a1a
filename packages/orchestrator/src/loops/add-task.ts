import { OrchestratorError } from "../errors.ts";
import { noteOwnCommands } from "../planning/approval.ts";
import type { LoopRow } from "../state/loops.ts";
import type { Queryable } from "../state/rows.ts";
import { addTasks, findTaskByNumber, type NewTask, type TaskRow } from "../state/tasks.ts";
import { withLoop } from "./existing.ts";
import { loopNotNow } from "./refusal.ts";
import type { LoopPlace } from "./start-loop.ts";
import { checkRules } from "./task-rules.ts";
import { tasksOf } from "./tasks-of.ts";

/** One more task for a loop that has a plan and has not ended. It may need any of those that there are. */
export async function addTask(place: LoopPlace, id: string, task: NewTask): Promise<TaskRow> {
  let added: TaskRow | undefined;
  await withLoop(place.database, id, async (on, loop) => {
    added = await insertTask(place, on, loop, task);
    await noteOwnCommands(on, added, task.verify);
  });
  if (added) return added;
  throw notThere(id);
}

/** Part of a transaction that has locked the loop. */
export async function insertTask(
  { config }: Pick<LoopPlace, "config">,
  on: Queryable,
  loop: LoopRow,
  task: NewTask,
): Promise<TaskRow> {
  const { id } = loop;
  const most = config.get("OPENTIGER_MAX_TASKS");
  if ((await tasksOf(on, id)).length >= most) throw full(id, most);
  const [number = 0] = await addTasks(on, id, [task], stateOfNew(loop));
  await checkRules(on, id, number);
  const added = await findTaskByNumber(on, id, number);
  if (added) return added;
  throw notThere(id);
}

function stateOfNew(loop: LoopRow): "queued" | "blocked(awaiting_approval)" {
  if (loop.state === "awaiting_approval") return "blocked(awaiting_approval)";
  if (loop.state === "running" || loop.state.startsWith("paused")) return "queued";
  throw loopNotNow(loop, "given another task");
}

function full(id: string, most: number): OrchestratorError {
  return new OrchestratorError("plan_invalid", `loop ${id} has ${most} tasks, and no more are allowed`, {
    remedy: "raise OPENTIGER_MAX_TASKS, or start another loop",
  });
}

function notThere(id: string): OrchestratorError {
  return new OrchestratorError("internal", `the task that was added to loop ${id} is not there`);
}
