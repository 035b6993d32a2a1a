import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";

/** So soon after the server was lost it is asked again. */
const comeBackMs = 100;

const numbered = z.object({ id: z.number(), type: z.string() });

/**
 * Hears the server's events as a browser does: comes back with the id of the last one, as often as it takes, until the
 * signal. Their ids are put into `ids`, in the order in which they came.
 */
export async function hearEvents(url: string, ids: number[], signal: AbortSignal): Promise<void> {
  for (let last: string | undefined; !signal.aborted; ) {
    try {
      const headers: Record<string, string> = last === undefined ? {} : { "last-event-id": last };
      const answered = await fetch(`${url}/events`, { headers, signal });
      let rest = "";
      const decoder = new TextDecoder();
      for await (const chunk of answered.body ?? []) {
        const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
        rest = blocks.pop() ?? "";
        for (const block of blocks) last = take(block, ids) ?? last;
      }
    } catch {
      // The server was killed, or we are done.
    }
    if (!signal.aborted) await delay(comeBackMs);
  }
}

/** How many hear the server's events now. What is written from then on is told to them. */
export async function listeners(url: string): Promise<number> {
  const answered = await fetch(`${url}/system`);
  return z.object({ streams: z.number() }).parse(await answered.json()).streams;
}

function take(block: string, ids: number[]): string | undefined {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
  const event = numbered.safeParse(JSON.parse(field("data") ?? "null"));
  if (event.success) ids.push(event.data.id);
  return field("id");
}
