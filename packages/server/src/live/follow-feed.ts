import { anySignal, opentigerVersion } from "@opentiger/schema";
import type { Parts } from "../parts.ts";
import { type Cursor, writeCursor } from "./cursor.ts";
import type { FeedEvent } from "./feed.ts";
import { writeEvent } from "./streams.ts";
import { SystemNews } from "./system-news.ts";

/** loop, task and run are about what is in the database; system about settings, processes and the image. */
export const topics = ["loop", "task", "run", "system"] as const;

export interface Wanted {
  topics: ReadonlySet<string>;
  loop: string | undefined;
  /** Absent: from now on. */
  from: Cursor | undefined;
}

/** Connections that say nothing for longer are cut by what stands between. */
const keepAliveMs = 15_000;

/**
 * The feed for one client. First `hello`, with the place from which it goes on: who then reads the lists misses nothing.
 * `reset` says that the place is not known here, and that what the client has must be read anew. News of the system are
 * not numbered: they only say that something is to be read again.
 */
export async function* followFeed(
  { feed, boot, ...parts }: Pick<Parts, "feed" | "place" | "boot" | "processes" | "images">,
  { topics: wanted, loop, from }: Wanted,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const known = from === undefined || (await feed.knows(from));
  let cursor = known ? (from ?? feed.head) : feed.head;
  const hello = { version: opentigerVersion, server: boot };
  yield writeEvent({ id: writeCursor(cursor), event: known ? "hello" : "reset", data: hello });
  const news = wanted.has("system") ? SystemNews.of(parts) : undefined;
  const woken = new AbortController();
  try {
    while (!signal.aborted) {
      for (const { event, data } of news?.take() ?? []) yield writeEvent({ event, data });
      const events = await feed.after(cursor);
      const last = events.at(-1);
      if (last) {
        cursor = last.cursor;
        const shown = events.filter((event) => isWanted(event, wanted, loop));
        // The place goes on also where nothing of it is shown.
        yield shown.map(writeFeedEvent).join("") + writeEvent({ id: writeCursor(cursor) });
        continue;
      }
      const wake = anySignal([signal, woken.signal, ...(news ? [news.signal] : [])]);
      await feed.wait(cursor, keepAliveMs, wake);
      if (feed.head === cursor && !wake.aborted) yield ": still here\n\n";
    }
  } finally {
    woken.abort();
    news?.close();
  }
}

function isWanted({ type, loop }: FeedEvent, wanted: ReadonlySet<string>, only: string | undefined): boolean {
  const [topic = ""] = type.split(".");
  return wanted.has(topic) && (only === undefined || only === loop);
}

function writeFeedEvent({ cursor, ...event }: FeedEvent): string {
  return writeEvent({ id: writeCursor(cursor), event: event.type, data: event });
}
