import {
  cancelLoop,
  ensureDispatcher,
  type LoopRow,
  type OpenPlace,
  usageOfLoop,
} from "@opentiger/orchestrator";
import type { Surroundings } from "../program/surroundings.ts";
import { exitOf, standsStill } from "./end.ts";
import { followLoop } from "./follow.ts";
import { Interrupted } from "./interrupted.ts";
import { LoopTeller } from "./lines.ts";
import { summaryOf } from "./summary.ts";

/** The status of a command that was interrupted, as in a shell; the loop itself goes on. */
const detachedStatus = 130;

/** A dispatcher that was killed is started again by whoever waits for what it does. */
const keepMs = 5_000;

/**
 * Tells what happens in a loop until it stands still. The first Ctrl-C leaves it, which goes on, and says how to come
 * back; a second one right after it cancels it.
 */
export async function watchLoop(
  place: OpenPlace,
  id: string,
  surroundings: Surroundings,
  { json, after }: { json?: true; after?: number },
): Promise<number> {
  const interrupted = new Interrupted({
    first: () =>
      tell(surroundings, json, {
        detaching: id,
        text: "Ctrl-C once more cancels the loop; without it, it goes on",
      }),
    second: async () => void (await cancelLoop(place.database, id)),
  });
  const keeping = setInterval(() => void ensureDispatcher(place.env).catch(() => {}), keepMs);
  try {
    const loop = await tellAll(place, id, surroundings, { json, after, signal: interrupted.signal });
    if (!loop || !standsStill(loop.state)) {
      tell(surroundings, json, {
        detached: id,
        text: `the loop goes on; back to it: opentiger loop events -f ${id}`,
      });
      return detachedStatus;
    }
    const usage = await usageOfLoop(place.database, id);
    if (json) surroundings.stdout.write(`${JSON.stringify({ type: "end", loop, usage })}\n`);
    else surroundings.stdout.write(`\n${summaryOf(loop, usage)}`);
    return exitOf(loop);
  } finally {
    clearInterval(keeping);
    interrupted.close();
  }
}

interface TellOptions {
  json: true | undefined;
  after: number | undefined;
  signal: AbortSignal;
}

async function tellAll(
  { database }: OpenPlace,
  id: string,
  { stdout }: Surroundings,
  { json, after, signal }: TellOptions,
): Promise<LoopRow | undefined> {
  const teller = new LoopTeller(database);
  const events = followLoop(database, id, {
    until: standsStill,
    signal,
    ...(after === undefined ? {} : { after }),
  });
  for (;;) {
    const next = await events.next();
    if (next.done) return next.value;
    if (json) stdout.write(`${JSON.stringify({ type: "event", event: next.value })}\n`);
    else for (const line of await teller.lines(next.value)) stdout.write(`${line}\n`);
  }
}

/** Not a result: it goes where errors go. */
function tell(
  { stderr }: Surroundings,
  json: true | undefined,
  said: { text: string; [key: string]: string },
): void {
  const { text, ...rest } = said;
  stderr.write(json ? `${JSON.stringify({ ...rest, message: text })}\n` : `${text}\n`);
}
