import { isSecretValue } from "@opentiger/schema";
import { z } from "zod";
import { onePage, type Page, type PageRequest } from "./page.ts";
import { firstRow, oneRow, type Queryable } from "./rows.ts";
import { storableText } from "./storable.ts";

/** On which every event is told, by its id, when the transaction that wrote it is committed. */
export const eventsChannel = "events";

export interface NewEvent {
  loop: string;
  task?: string | null;
  run?: string | null;
  /** As `task.claim`. */
  type: string;
  data?: Readonly<Record<string, unknown>>;
}

export const eventRow = z.object({
  id: z.number(),
  loop: z.string(),
  task: z.string().nullable(),
  run: z.string().nullable(),
  type: z.string(),
  data: z.record(z.string(), z.unknown()),
  at: z.date(),
});
export type EventRow = z.infer<typeof eventRow>;

const columns = "id, loop_id as loop, task_id as task, run_id as run, type, data, at";

/**
 * Part of a transaction that has locked the loop: only then are the ids of a loop's events in the order in which others
 * see them, so that whoever asks for what came after an id misses nothing. What looks like a secret is not written.
 */
export async function appendEvent(on: Queryable, { loop, task, run, type, data }: NewEvent): Promise<number> {
  const { id } = await oneRow(
    on,
    z.object({ id: z.number() }),
    `with added as (
       insert into events (loop_id, task_id, run_id, type, data) values ($1, $2, $3, $4, $5::jsonb) returning id)
     select id, pg_notify($6, id::text) from added`,
    [loop, task ?? null, run ?? null, type, withoutSecrets(data ?? {}), eventsChannel],
  );
  return id;
}

export async function findEvent(on: Queryable, id: number): Promise<EventRow | undefined> {
  return firstRow(on, eventRow, `select ${columns} from events where id = $1`, [id]);
}

interface EventsRequest extends PageRequest {
  loop: string;
  task?: string;
  run?: string;
  order?: "asc" | "desc";
}

/** Of a loop, or of one of its tasks or runs; oldest first, unless the newest are asked for. */
export async function listEvents(
  on: Queryable,
  { loop, task, run, order = "asc", ...page }: EventsRequest,
): Promise<Page<EventRow>> {
  return onePage(
    on,
    eventRow,
    `select ${columns}, id as place from events
     where loop_id = $3 and ($4::uuid is null or task_id = $4) and ($5::uuid is null or run_id = $5)
       and ($1::bigint is null or id ${order === "asc" ? ">" : "<"} $1)
     order by id ${order} limit $2`,
    page,
    [loop, task ?? null, run ?? null],
  );
}

function withoutSecrets(data: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(data, (_, value: unknown) => (typeof value === "string" ? told(value) : value));
}

function told(text: string): string {
  return isSecretValue(text) ? "(a secret)" : storableText(text);
}
