import {
  type Database,
  type EventRow,
  eventsChannel,
  findLoop,
  type LoopRow,
  listEvents,
} from "@opentiger/orchestrator";
import type { LoopState } from "@opentiger/schema";

export interface FollowOptions {
  /** The last event that is known already. */
  after?: number;
  /** In which of these states it is left, when all that led there was told. */
  until: (state: LoopState) => boolean;
  signal: AbortSignal;
}

/**
 * The events of a loop as they happen, none twice and none left out, until the loop is in one of the states that are
 * waited for, or nobody wants to wait any longer. Returns the loop as it is then.
 */
export async function* followLoop(
  database: Database,
  id: string,
  { after = 0, until, signal }: FollowOptions,
): AsyncGenerator<EventRow, LoopRow | undefined> {
  const wakes = new Wakes(database, signal);
  try {
    for (let last = after; ; ) {
      // Read before its events: what moved it to this state is among them then.
      const loop = await findLoop(database, id);
      for await (const event of eventsAfter(database, id, last)) {
        last = event.id;
        yield event;
      }
      if (!loop || until(loop.state) || signal.aborted) return loop;
      await wakes.next();
    }
  } finally {
    wakes.leave();
  }
}

async function* eventsAfter(database: Database, loop: string, after: number): AsyncGenerator<EventRow> {
  for (let from: number | null = after; from !== null; ) {
    const { items, next }: Awaited<ReturnType<typeof listEvents>> = await listEvents(database, {
      loop,
      after: from,
      limit: 200,
    });
    yield* items;
    from = next;
  }
}

/** Whether there may be news. One that comes while nobody waits is kept. */
class Wakes {
  readonly leave: () => void;
  #news = false;
  #tell: () => void = () => {};

  constructor(database: Database, signal: AbortSignal) {
    const wake = (): void => {
      this.#news = true;
      this.#tell();
    };
    const unsubscribe = database.notifications.subscribe(eventsChannel, wake);
    signal.addEventListener("abort", wake);
    this.leave = () => {
      unsubscribe();
      signal.removeEventListener("abort", wake);
    };
  }

  async next(): Promise<void> {
    if (!this.#news) {
      await new Promise<void>((resolve) => {
        this.#tell = resolve;
      });
    }
    this.#news = false;
  }
}
