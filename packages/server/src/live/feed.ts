import {
  allRows,
  type Database,
  type EventRow,
  eventRow,
  eventsChannel,
  oneRow,
} from "@opentiger/orchestrator";
import { z } from "zod";
import { type Cursor, compareCursors, start } from "./cursor.ts";

/** An event, and where it stands in the feed. */
export interface FeedEvent extends EventRow {
  cursor: Cursor;
}

/** What clients that keep up are served from, without asking the database for each of them. */
const keptEvents = 2_048;

const pageSize = 500;

/** Events are there that may not be shown yet: somebody's transaction is about to end, which nobody tells us. */
const heldPauseMs = 20;

/**
 * The events of all loops in one order, in which nothing ever comes in between afterwards.
 *
 * Ids do not give that order: they are taken when a row is written, and a transaction that took a smaller one may be
 * committed later; who had asked for what comes after the larger one would never see it. So each row has the number of
 * its transaction, and only rows of transactions older than any that is still open are shown, by that number and then by
 * id. Of those nothing more can come: all of them have ended. A transaction that writes holds back what comes after it
 * until it ends, which ours do in milliseconds; one that only waits for a lock, or only reads, has no number yet.
 */
export class Feed {
  readonly #database: Database;
  readonly #leave: () => void;
  readonly #waiting = new Set<() => void>();
  #kept: FeedEvent[] = [];
  /** Everything up to here has been read; what is kept comes after `#keptFrom`. */
  #head: Cursor;
  #keptFrom: Cursor;
  #reading: Promise<void> | undefined;
  #again = false;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  static async open(database: Database): Promise<Feed> {
    await rewriteForeign(database);
    return new Feed(database, await lastSettled(database));
  }

  private constructor(database: Database, head: Cursor) {
    this.#database = database;
    this.#head = head;
    this.#keptFrom = head;
    this.#leave = database.notifications.subscribe(eventsChannel, () => this.#wake());
  }

  /** Where it is now. */
  get head(): Cursor {
    return this.#head;
  }

  /** How many are being waited for. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** What comes after it, at most a page. Empty: nothing yet. */
  async after(cursor: Cursor): Promise<readonly FeedEvent[]> {
    if (compareCursors(cursor, this.#head) >= 0) return [];
    if (compareCursors(cursor, this.#keptFrom) < 0) return (await settled(this.#database, cursor)).events;
    const first = this.#kept.findIndex((event) => compareCursors(event.cursor, cursor) > 0);
    return first < 0 ? [] : this.#kept.slice(first, first + pageSize);
  }

  /** Resolves when there may be more than that, when the time is up, or when nobody wants to know any more. */
  async wait(cursor: Cursor, ms: number, signal: AbortSignal): Promise<void> {
    if (compareCursors(cursor, this.#head) < 0 || signal.aborted || this.#closed) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener("abort", done);
      this.#waiting.add(done);
    });
  }

  /** Whether this is a place of this feed; one of another database may be in its future. */
  async knows(cursor: Cursor): Promise<boolean> {
    return compareCursors(cursor, await horizon(this.#database)) < 0;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#leave();
    clearTimeout(this.#timer);
    for (const done of this.#waiting) done();
    await this.#reading?.catch(() => {});
  }

  #wake(): void {
    if (this.#closed) return;
    if (this.#reading) {
      this.#again = true;
      return;
    }
    this.#reading = this.#read()
      // What cannot be read now is read when the database is there again: that wakes too.
      .catch(() => {})
      .finally(() => {
        this.#reading = undefined;
      });
  }

  async #read(): Promise<void> {
    do {
      this.#again = false;
      const { events, held } = await settled(this.#database, this.#head);
      this.#keep(events);
      if (events.length === pageSize) this.#again = true;
      else if (held) this.#soon();
    } while (this.#again && !this.#closed);
  }

  #keep(events: readonly FeedEvent[]): void {
    const last = events.at(-1);
    if (!last) return;
    this.#kept.push(...events);
    const dropped = this.#kept.splice(0, Math.max(0, this.#kept.length - keptEvents));
    this.#keptFrom = dropped.at(-1)?.cursor ?? this.#keptFrom;
    this.#head = last.cursor;
    for (const done of this.#waiting) done();
  }

  #soon(): void {
    clearTimeout(this.#timer);
    if (!this.#closed) this.#timer = setTimeout(() => this.#wake(), heldPauseMs);
  }
}

const placed = eventRow.extend({ xact: z.string() });

/** Not shown: what a transaction wrote that is as new as one that is still open, or newer. */
const isSettled = "xact < pg_snapshot_xmin(pg_current_snapshot())";

/** One statement, so that all of it is true at the same moment. */
async function settled(
  database: Database,
  { xact, id }: Cursor,
): Promise<{ events: FeedEvent[]; held: boolean }> {
  const rows = await allRows(
    database,
    placed.extend({ settled: z.boolean() }),
    `(select id, loop_id as loop, task_id as task, run_id as run, type, data, at, xact::text as xact, true as settled
      from events where (xact, id) > ($1::text::xid8, $2::bigint) and ${isSettled} order by events.xact, id limit $3)
     union all
     (select id, loop_id, task_id, run_id, type, '{}', at, xact::text, false
      from events where not ${isSettled} order by events.xact desc limit 1)`,
    [String(xact), id, pageSize],
  );
  const shown = rows.filter((row) => row.settled);
  const events = shown.map(({ xact: written, id: number, loop, task, run, type, data, at }) => ({
    id: number,
    loop,
    task,
    run,
    type,
    data,
    at,
    cursor: { xact: BigInt(written), id: number },
  }));
  return {
    events: events.toSorted((left, right) => compareCursors(left.cursor, right.cursor)),
    held: rows.length > shown.length,
  };
}

async function lastSettled(database: Database): Promise<Cursor> {
  const [last] = await allRows(
    database,
    z.object({ xact: z.string(), id: z.number() }),
    `select xact::text as xact, id from events where ${isSettled} order by events.xact desc, id desc limit 1`,
  );
  return last ? { xact: BigInt(last.xact), id: last.id } : start;
}

/** No event has this place or a later one. */
async function horizon(database: Database): Promise<Cursor> {
  const row = await oneRow(
    database,
    z.object({ xact: z.string() }),
    "select pg_snapshot_xmax(pg_current_snapshot())::text as xact",
  );
  return { xact: BigInt(row.xact), id: 0 };
}

/**
 * Numbers of transactions are a server's own. Tables that were brought here from another one may have larger ones than
 * this one has given yet; those would be held back, and come after what is new. They count as written before all else.
 */
async function rewriteForeign(database: Database): Promise<void> {
  await database.query(
    "update events set xact = '1'::xid8 where xact > pg_snapshot_xmax(pg_current_snapshot())",
  );
}
