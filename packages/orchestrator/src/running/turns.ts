import { join } from "node:path";
import { z } from "zod";
import { runFolder } from "../agent/run-files.ts";
import { Journal } from "../stage/journal.ts";
import { LeaseLost } from "../stage/lease-lost.ts";
import { messagesOfTurn, type TaskMessageRow, takeMessages } from "../state/task-messages.ts";
import type { Work } from "./work.ts";

/** As much of the work as the turns of its agent depend on. */
export type TurnWork = Pick<Work, "place" | "lease" | "task" | "run">;

const knownMessages = z.object({ messages: z.array(z.number()) });

/**
 * What people had said when the run began. Decided once: whatever comes later belongs to a later turn, also where the
 * agent of this one is taken over.
 */
export async function firstMessages(work: TurnWork): Promise<TaskMessageRow[]> {
  return (await decided(work, 0)) ?? decide(work, 0, await taken(work, 0));
}

/** What they said since, with which this turn begins; none: there is no such turn. */
export async function moreMessages(work: TurnWork, turn: number): Promise<TaskMessageRow[]> {
  const known = await decided(work, turn);
  if (known) return known;
  const messages = await taken(work, turn);
  return messages.length === 0 ? [] : decide(work, turn, messages);
}

/** The latest that was begun. */
export async function lastTurn(work: TurnWork): Promise<number> {
  let turn = 0;
  while (await journalOf(work, turn + 1).known("messages", knownMessages)) turn += 1;
  return turn;
}

/** The work as it is known from this turn on: what was found out behind an earlier one says nothing of this. */
export function afterTurn<Part extends Pick<Work, "place" | "run">>(
  work: Part,
  turn: number,
): Part & Pick<Work, "turn" | "journal"> {
  return { ...work, turn, journal: journalOf(work, turn) };
}

async function decided(work: TurnWork, turn: number): Promise<TaskMessageRow[] | undefined> {
  const known = await journalOf(work, turn).known("messages", knownMessages);
  if (!known || known.messages.length === 0) return known && [];
  return messagesOfTurn(work.place.database, work.run.id, turn);
}

/** In the table first: what nobody wrote down here is found there for the same turn. */
async function taken(work: TurnWork, turn: number): Promise<TaskMessageRow[]> {
  const { place, lease, task, run } = work;
  const messages = await takeMessages(place.database, lease, { task: task.id, run: run.id, turn });
  if (!messages) throw new LeaseLost(lease.stage);
  return messages;
}

async function decide(work: TurnWork, turn: number, messages: TaskMessageRow[]): Promise<TaskMessageRow[]> {
  const ids = messages.map(({ id }) => id);
  await journalOf(work, turn).step("messages", knownMessages, async () => ({ messages: ids }));
  return messages;
}

function journalOf({ place, run }: Pick<Work, "place" | "run">, turn: number): Journal {
  const folder = runFolder(place, run);
  return new Journal(turn === 0 ? folder : join(folder, `turn-${turn + 1}`));
}
