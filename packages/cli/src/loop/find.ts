import {
  allRows,
  type Database,
  findLoop,
  findRepository,
  type LoopRow,
  listTasks,
  OrchestratorError,
  type RepositoryRow,
  type TaskRow,
} from "@opentiger/orchestrator";
import { z } from "zod";
import { UsageError } from "../errors.ts";

/** The loop of this id; the beginning of one is enough where no other begins so. */
export async function loopNamed(database: Database, name: string): Promise<LoopRow> {
  if (!/^[a-z0-9]{1,8}$/.test(name))
    throw new UsageError(
      `${JSON.stringify(name)} is not a loop`,
      "A loop is called by eight letters and digits, or the first of them: opentiger loop ls",
    );
  const found = await allRows(
    database,
    z.object({ id: z.string() }),
    "select id from loops where id like $1 || '%' order by ordinal desc limit 2",
    [name],
  );
  const [first, second] = found;
  const loop = first && !second ? await findLoop(database, first.id) : undefined;
  if (loop) return loop;
  const what = second ? `several loops begin with ${name}` : `there is no loop ${name}`;
  throw new OrchestratorError("not_found", what, { remedy: "opentiger loop ls" });
}

/** The task of this number in a loop. */
export async function taskNumbered(database: Database, loop: LoopRow, written: string): Promise<TaskRow> {
  const number = taskNumber(written);
  const { items } = await listTasks(database, { loop: loop.id, after: number - 1, limit: 1 });
  const [task] = items;
  if (task?.number === number) return task;
  throw new OrchestratorError("not_found", `loop ${loop.id} has no task ${number}`, {
    remedy: `opentiger task ls ${loop.id}`,
  });
}

/** As a task is called on a command line. */
export function taskNumber(written: string): number {
  if (/^[1-9]\d{0,8}$/.test(written)) return Number(written);
  throw new UsageError(
    `${JSON.stringify(written)} is not a task`,
    "A task is called by its number in the loop: opentiger task ls LOOP",
  );
}

/** All tasks of a loop, in their order. */
export async function tasksOfLoop(database: Database, loop: string): Promise<TaskRow[]> {
  const tasks: TaskRow[] = [];
  for (let after: number | undefined, more = true; more; ) {
    const page = await listTasks(database, { loop, after, limit: 500 });
    tasks.push(...page.items);
    after = page.next ?? undefined;
    more = page.next !== null;
  }
  return tasks;
}

export async function repositoryOf(database: Database, { repository }: LoopRow): Promise<RepositoryRow> {
  const found = await findRepository(database, repository);
  if (found) return found;
  throw new OrchestratorError("internal", `the repository ${repository} is not in the database`);
}
