import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  appendEvent,
  createLoop,
  type Database,
  EmbeddedPostgres,
  ensureRepository,
  openDatabase,
  type Queryable,
} from "@opentiger/orchestrator";
import { loopSettings } from "@opentiger/schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../../../tests/setup/until.ts";
import { type Cursor, compareCursors, readCursor, start, writeCursor } from "./cursor.ts";
import { Feed } from "./feed.ts";

const home = mkdtempSync(join(tmpdir(), "ot-feed-"));
const env = { OPENTIGER_HOME: home };

/** Who has not seen everything by then has missed something. */
const patienceMs = 5_000;

let database: Database;
let writers: Database;
let feed: Feed;
let loops: string[];

beforeAll(async () => {
  database = await openDatabase({ env, program: "test" });
  writers = await openDatabase({ env, program: "test writers" });
  const repository = await ensureRepository(database, { path: "/somewhere", name: "somewhere" });
  const settings = loopSettings.parse({});
  const loop = {
    repository: repository.id,
    requirement: "Work.",
    source: { kind: "prose" },
    settings,
  } as const;
  loops = [];
  for (let count = 0; count < 4; count += 1) loops.push((await createLoop(database, loop)).id);
  feed = await Feed.open(database);
});

afterAll(async () => {
  await feed.close();
  await Promise.all([database.close(), writers.close()]);
  await new EmbeddedPostgres(env).remove();
  rmSync(home, { recursive: true, force: true });
});

/** A transaction that has written an event, and ends when it is told to. */
function openTransaction(loop: string): {
  written: Promise<number>;
  end(how: "commit" | "abort"): Promise<void>;
} {
  let end: (how: "commit" | "abort") => void = () => {};
  const told = new Promise<"commit" | "abort">((resolve) => {
    end = resolve;
  });
  let tell: (id: number) => void = () => {};
  const written = new Promise<number>((resolve) => {
    tell = resolve;
  });
  const over = writers
    .transaction(async (on: Queryable) => {
      tell(await appendEvent(on, { loop, type: "task.note" }));
      if ((await told) === "abort") throw new Error("aborted");
    })
    .catch(() => {});
  return {
    written,
    end: async (how) => {
      end(how);
      await over;
    },
  };
}

async function idsAfter(cursor: Cursor): Promise<number[]> {
  return (await feed.after(cursor)).map(({ id }) => id);
}

describe("the feed of all loops", () => {
  it("misses nothing of a transaction that took its id first and was committed last", async () => {
    const before = feed.head;
    const slow = openTransaction(loops[0] ?? "");
    const slowId = await slow.written;
    const quick = openTransaction(loops[1] ?? "");
    const quickId = await quick.written;
    await quick.end("commit");
    const { rows } = await database.query("select id from events where id >= $1 order by id", [slowId]);
    expect(rows, "others see only the later one now").toEqual([{ id: quickId }]);
    expect(await idsAfter(before), "which is held back").toEqual([]);
    await slow.end("commit");
    await until("both are there", async () => (await idsAfter(before)).length === 2);
    expect(await idsAfter(before)).toEqual([slowId, quickId]);
  });

  it("goes on when a transaction that held it back was given up, which nobody tells", async () => {
    const before = feed.head;
    const slow = openTransaction(loops[0] ?? "");
    await slow.written;
    const quick = openTransaction(loops[1] ?? "");
    const quickId = await quick.written;
    await quick.end("commit");
    await slow.end("abort");
    await until("it is there", async () => (await idsAfter(before)).length === 1);
    expect(await idsAfter(before)).toEqual([quickId]);
  });

  it("shows each of many readers the same order, without a gap or a double, while many write at once", async () => {
    const before = feed.head;
    const committed: number[] = [];
    let writing = true;
    let end = Number.POSITIVE_INFINITY;
    const readers = Array.from({ length: 5 }, async () => {
      const seen: number[] = [];
      let cursor = before;
      for (;;) {
        const last = !writing;
        const events = await feed.after(cursor);
        seen.push(...events.map(({ id }) => id));
        // As a client that comes back: nothing but the text of the place is kept.
        cursor = readCursor(writeCursor(events.at(-1)?.cursor ?? cursor)) ?? start;
        if (events.length === 0 && last && (seen.length >= committed.length || Date.now() > end)) return seen;
        if (events.length === 0) await feed.wait(cursor, 20, new AbortController().signal);
      }
    });
    await Promise.all(
      Array.from({ length: 6 }, async (_, writer) => {
        for (let count = 0; count < 25; count += 1) {
          const open = openTransaction(loops[writer % loops.length] ?? "");
          const other = openTransaction(loops[(writer + 1) % loops.length] ?? "");
          const [first, second] = await Promise.all([open.written, other.written]);
          const kept = count % 5 === 0 ? "abort" : "commit";
          await other.end("commit");
          await open.end(kept);
          committed.push(second, ...(kept === "commit" ? [first] : []));
        }
      }),
    );
    writing = false;
    end = Date.now() + patienceMs;
    const seen = await Promise.all(readers);
    for (const each of seen) {
      expect(each.toSorted((left, right) => left - right)).toEqual(
        committed.toSorted((left, right) => left - right),
      );
      expect(each).toEqual(seen[0]);
    }
  });

  it("serves who comes with an old place from the table, in the same order", async () => {
    const fresh = await Feed.open(database);
    const all: Cursor[] = [];
    for (let cursor = start; ; ) {
      const events = await fresh.after(cursor);
      if (events.length === 0) break;
      all.push(...events.map((event) => event.cursor));
      cursor = all.at(-1) ?? start;
    }
    expect(all).toEqual(all.toSorted(compareCursors));
    const { rows } = await database.query("select count(*) as count from events");
    expect(rows).toEqual([{ count: all.length }]);
    await fresh.close();
  });

  it("knows a place that it cannot have given out", async () => {
    expect(await feed.knows(feed.head)).toBe(true);
    expect(await feed.knows({ xact: feed.head.xact + 1_000_000n, id: 1 })).toBe(false);
  });

  it("shows events whose transactions were numbered by another server, before all that is new", async () => {
    const [last] = (await feed.after(start)).slice(-1);
    await database.query("update events set xact = '9000000000'::xid8 where id = $1", [last?.id]);
    const moved = await Feed.open(database);
    const [first] = await moved.after(start);
    expect(first?.id).toBe(last?.id);
    await moved.close();
  });
});
