import {
  eventsFile,
  findRun,
  type Page,
  type PageRequest,
  type Place,
  runEventsChannel,
  whyTranscriptIsGone,
} from "@opentiger/orchestrator";
import { type AgentEvent, agentEvent } from "@opentiger/schema";
import { openRunFile } from "./run-file.ts";
import { writeEvent } from "./streams.ts";

const usualLimit = 50;
const maxLimit = 500;

/** So late it is noticed at the latest that there is more, or that the run has ended. */
const lookMs = 2_000;

/** A line is one event, which is cut where it is long; a longer one is none of ours. */
const maxLineBytes = 4 * 1024 * 1024;

/** What the agents of a run did and said, after a number. */
export async function readTranscript(
  place: Place,
  run: string,
  asked: PageRequest,
): Promise<Page<AgentEvent>> {
  const { items, next } = await readPage(place, run, asked, 0);
  return { items, next };
}

/** A page, from this byte of the file on; `end` is where the last event of it ends. */
async function readPage(
  place: Place,
  run: string,
  { after = 0, limit = usualLimit }: PageRequest,
  from: number,
): Promise<Page<AgentEvent> & { end: number }> {
  const items: AgentEvent[] = [];
  const count = Math.min(limit, maxLimit);
  let last = from;
  // One that slept while another wrote on may have written some of it again.
  let highest = after;
  for await (const { event, end } of eventsOf(place, run, from)) {
    if (event.seq <= highest) continue;
    if (items.length === count) return { items, next: items.at(-1)?.seq ?? null, end: last };
    items.push(event);
    highest = event.seq;
    last = end;
  }
  return { items, next: null, end: last };
}

/**
 * The same as it happens. Ends with `end` when the run has ended and everything was told, or with why there is nothing
 * to tell. Where it was in the file is remembered: a long one is read once, and not once a page.
 */
export async function* followTranscript(
  place: Place,
  run: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const news = newsOf(place, run, signal);
  let last = after;
  let from = 0;
  try {
    while (!signal.aborted) {
      // Asked before it is read: what was written before the end is read then.
      const row = await findRun(place.database, run);
      const ended = row?.state !== "running";
      const { items, next, end } = await readPage(place, run, { after: last, limit: maxLimit }, from);
      last = items.at(-1)?.seq ?? last;
      from = end;
      if (items.length > 0)
        yield items
          .map((event) => writeEvent({ id: `${event.seq}`, event: event.type, data: event }))
          .join("");
      else if (ended)
        return yield writeEvent({
          event: "end",
          data: { run, gone: row ? whyTranscriptIsGone(place, row) : null },
        });
      if (next === null && !ended && !(await news.wait())) yield ": still here\n\n";
    }
  } finally {
    news.close();
  }
}

/** Waits until there may be more; false: the time was up. */
function newsOf({ database }: Place, run: string, signal: AbortSignal) {
  let told = false;
  let wake: () => void = () => {};
  const leave = database.notifications.subscribe(runEventsChannel, (news) => {
    if (news.kind === "notified" && news.payload !== run) return;
    told = true;
    wake();
  });
  const stop = () => wake();
  signal.addEventListener("abort", stop);
  return {
    wait: async (): Promise<boolean> => {
      if (!told && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, lookMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      const heard = told;
      told = false;
      return heard;
    },
    close: () => {
      leave();
      signal.removeEventListener("abort", stop);
    },
  };
}

/** A last line without its end is being written. A line that is no event is passed over. */
async function* eventsOf(
  place: Place,
  run: string,
  from: number,
): AsyncGenerator<{ event: AgentEvent; end: number }> {
  const chunks = await openRunFile(place, run, eventsFile(place, { id: run }), from);
  if (!chunks) return;
  let rest = Buffer.alloc(0);
  let position = from;
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const event = readLine(rest.subarray(0, end).toString("utf8"));
      rest = rest.subarray(end + 1);
      position += end + 1;
      if (event) yield { event, end: position };
    }
    if (rest.length > maxLineBytes) return;
  }
}

function readLine(line: string): AgentEvent | undefined {
  try {
    return agentEvent.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
