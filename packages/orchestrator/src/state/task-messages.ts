import { firstCharacters } from "@opentiger/schema";
import { z } from "zod";
import type { Database } from "./database.ts";
import { appendEvent } from "./events.ts";
import { isHeld, type Lease } from "./lease.ts";
import { lockLoop } from "./locks.ts";
import { onePage, type Page, type PageRequest } from "./page.ts";
import { allRows, oneRow, type Queryable } from "./rows.ts";
import type { TaskRow } from "./tasks.ts";

/** On which it is told that somebody has something to say to the agent of a task, by the task's id. */
export const messagesChannel = "task_messages";

export const taskMessageRow = z.object({
  id: z.number(),
  task: z.string(),
  /** The line of the diff that it is about, where it is about one. */
  file: z.string().nullable(),
  line: z.number().nullable(),
  text: z.string(),
  at: z.date(),
  /** The run whose agent it is for; null: of the next one that asks. */
  run: z.string().nullable(),
  turn: z.number().nullable(),
  /** When an agent had it; null: it waits. */
  givenAt: z.date().nullable(),
});
export type TaskMessageRow = z.infer<typeof taskMessageRow>;

export type NewMessage = Pick<TaskMessageRow, "file" | "line" | "text">;

const columns = `id, task_id as task, file, line, text, at, run_id as run, turn, given_at as "givenAt"`;

/** Of one task, in all: who has more to say than that says it in the instructions. */
export const mostMessages = 500;

/** Of the text, in an event: who wants the whole of it asks for the message. */
const toldCharacters = 200;

/** One that was taken for a run which then came to nothing waits again. */
const waits = "given_at is null";

/**
 * Part of a transaction that has locked the loop and knows who gets them: the agent that is at work, which is told, or,
 * where they are points for the next run already, nobody besides.
 */
export async function addMessages(
  on: Queryable,
  { id, loop }: Pick<TaskRow, "id" | "loop">,
  added: readonly NewMessage[],
  gets: "agent" | "next run",
): Promise<TaskMessageRow[]> {
  const rows: TaskMessageRow[] = [];
  for (const { file, line, text } of added) {
    const row = await oneRow(
      on,
      taskMessageRow,
      `insert into task_messages (loop_id, task_id, file, line, text, given_at)
       values ($1, $2, $3, $4, $5, case when $6 then now() end) returning ${columns}`,
      [loop, id, file, line, text, gets === "next run"],
    );
    const data = { id: row.id, file, line, text: firstCharacters(text, toldCharacters) };
    await appendEvent(on, { loop, task: id, type: "task.message", data });
    rows.push(row);
  }
  if (gets === "agent") await on.query("select pg_notify($1, $2)", [messagesChannel, id]);
  return rows;
}

/** How many there are, whoever got them. */
export async function countMessages(on: Queryable, task: string): Promise<number> {
  const row = z.object({ count: z.number() });
  const text = "select count(*)::int as count from task_messages where task_id = $1";
  return (await oneRow(on, row, text, [task])).count;
}

/** How many nobody has got yet. */
export async function waitingMessages(on: Queryable, task: string): Promise<number> {
  const row = z.object({ count: z.number() });
  const text = `select count(*)::int as count from task_messages where task_id = $1 and ${waits}`;
  return (await oneRow(on, row, text, [task])).count;
}

/**
 * Those that the agent gets in this turn of a run: what was taken for it before, and what waits. From now on they are
 * nobody else's while the run goes on. undefined: the lease is over, and nothing was taken.
 */
export async function takeMessages(
  database: Database,
  lease: Lease,
  { task, run, turn }: { task: string; run: string; turn: number },
): Promise<TaskMessageRow[] | undefined> {
  return database.transaction(async (on) => {
    await lockLoop(on, lease.loop);
    if (!(await isHeld(on, lease))) return undefined;
    await on.query(`update task_messages set run_id = $2, turn = $3 where task_id = $1 and ${waits}`, [
      task,
      run,
      turn,
    ]);
    return messagesOfTurn(on, run, turn);
  });
}

export async function messagesOfTurn(on: Queryable, run: string, turn: number): Promise<TaskMessageRow[]> {
  const text = `select ${columns} from task_messages where run_id = $1 and turn = $2 order by id`;
  return allRows(on, taskMessageRow, text, [run, turn]);
}

/** The agent has them; said once, however often it is called. */
export async function noteGiven(
  database: Database,
  { loop, task }: Pick<Lease, "loop" | "task">,
  { run, turn }: { run: string; turn: number },
): Promise<void> {
  await database.transaction(async (on) => {
    await lockLoop(on, loop);
    const given = await allRows(
      on,
      z.object({ id: z.number() }),
      `update task_messages set given_at = now() where run_id = $1 and turn = $2 and given_at is null
       returning id`,
      [run, turn],
    );
    if (given.length === 0) return;
    const messages = given.map(({ id }) => id).toSorted((one, other) => one - other);
    await appendEvent(on, { loop, task, run, type: "task.message_given", data: { messages, turn } });
  });
}

/** Everything that people said to a task, oldest first. */
export async function listMessages(
  on: Queryable,
  { task, ...page }: { task: string } & PageRequest,
): Promise<Page<TaskMessageRow>> {
  return onePage(
    on,
    taskMessageRow,
    `select ${columns}, id as place from task_messages
     where task_id = $3 and id > coalesce($1::bigint, 0) order by id limit $2`,
    page,
    [task],
  );
}
