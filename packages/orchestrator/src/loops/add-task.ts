import { OrchestratorError } from "../errors.ts";
import type { LoopRow } from "../state/loops.ts";
import { addTasks, findTaskByNumber, type NewTask, type TaskRow } from "../state/tasks.ts";
import { withLoop } from "./existing.ts";
import { loopNotNow } from "./refusal.ts";
import type { LoopPlace } from "./start-loop.ts";
import { tasksOf } from "./tasks-of.ts";
import { checkTesters } from "./tester-check.ts";

/** One more task for a loop that has a plan and has not ended. It may need any of those that there are. */
export async function addTask({ database, config }: LoopPlace, id: string, task: NewTask): Promise<TaskRow> {
  let added: TaskRow | undefined;
  await withLoop(database, id, async (on, loop) => {
    const most = config.get("OPENTIGER_MAX_TASKS");
    if ((await tasksOf(on, id)).length >= most) throw full(id, most);
    const [number = 0] = await addTasks(on, id, [task], stateOfNew(loop));
    await checkTesters(on, id);
    added = await findTaskByNumber(on, id, number);
  });
  if (added) return added;
  throw new OrchestratorError("internal", `the task that was added to loop ${id} is not there`);
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
