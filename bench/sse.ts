import { setTimeout as delay } from "node:timers/promises";
import { appendEvent, type Database, openDatabase } from "@opentiger/orchestrator";
import { z } from "zod";
import { fillQueue } from "./claims.ts";
import { type Series, summarise } from "./measure.ts";
import { serverPlace } from "./server-place.ts";

export interface StreamSizes {
  clients: number;
  eventsPerSecond: number;
  seconds: number;
}

export interface StreamFigures extends StreamSizes {
  sent: number;
  received: number;
  missing: number;
  /** From an event's commit until a client has it, all clients and events together. */
  series: Series;
}

/** Who has not heard all of it by then has missed something. */
const patienceMs = 20_000;

const told = z.object({ type: z.literal("task.bench"), id: z.number() });

interface Heard {
  id: number;
  at: number;
}

/** Many who listen while much happens. They are all in this process, whose work is in the times too. */
export async function measureStreams(sizes: StreamSizes): Promise<StreamFigures> {
  const { clients, eventsPerSecond, seconds } = sizes;
  const place = serverPlace({ processes: [] });
  const gone = new AbortController();
  try {
    const database = await openDatabase({ env: place.env, program: "bench" });
    await fillQueue(database, 1);
    const url = await place.up();
    const heard: Heard[] = [];
    const ready = await Promise.all(Array.from({ length: clients }, () => listen(url, heard, gone.signal)));
    const commits = await writeEvents(database, eventsPerSecond, seconds);
    const sent = commits.size;
    const end = performance.now() + patienceMs;
    while (heard.length < sent * clients && performance.now() < end) await delay(10);
    gone.abort();
    await Promise.all(ready.map(({ ended }) => ended));
    await database.close();
    const received = heard.length;
    // Who is told of it may be faster than who did it.
    const times = heard.map(({ id, at }) => Math.max(0, at - (commits.get(id) ?? at)));
    const series = summarise("commit → client", times);
    return { ...sizes, sent, received, missing: sent * clients - received, series };
  } finally {
    gone.abort();
    await place.remove();
  }
}

/** One transaction each, evenly; what one could not do in time it does right after. Returns when each was done. */
export async function writeEvents(
  database: Database,
  perSecond: number,
  seconds: number,
): Promise<ReadonlyMap<number, number>> {
  const [{ id: loop }] = z
    .tuple([z.object({ id: z.string() })])
    .parse((await database.query("select id from loops limit 1")).rows);
  const begun = performance.now();
  const writing: Promise<unknown>[] = [];
  const commits = new Map<number, number>();
  for (let count = 0; count < perSecond * seconds; count += 1) {
    const due = begun + (count * 1000) / perSecond;
    if (due > performance.now()) await delay(due - performance.now());
    writing.push(
      database
        .transaction((on) => appendEvent(on, { loop, type: "task.bench" }))
        .then((id) => commits.set(id, performance.now())),
    );
  }
  await Promise.all(writing);
  return commits;
}

/** Returns when it is connected. */
async function listen(url: string, heard: Heard[], signal: AbortSignal): Promise<{ ended: Promise<void> }> {
  const answer = await fetch(`${url}/events`, { signal });
  return { ended: hear(answer, heard).catch(() => {}) };
}

async function hear(answer: Response, heard: Heard[]): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of answer.body ?? []) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    const at = performance.now();
    for (const block of blocks) {
      const line = /^data: (.*)$/m.exec(block)?.[1];
      const event = line === undefined ? undefined : told.safeParse(JSON.parse(line)).data;
      if (event) heard.push({ id: event.id, at });
    }
  }
}
