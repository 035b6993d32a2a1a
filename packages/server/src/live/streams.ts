import type { ServerResponse } from "node:http";
import { anySignal } from "@opentiger/schema";
import { ServerError } from "../errors.ts";

/** Each holds a connection and little else; a page has one or two. */
const maxStreams = 500;

/** Who takes nothing for so long is not there any more, or cannot keep up: it comes back and goes on where it was. */
const stalledMs = 60_000;

/**
 * Answers that go on: what comes next is asked for only when the client has taken what came before. So a slow client
 * costs one chunk, whatever happens meanwhile.
 */
export class Streams {
  readonly #ending: AbortSignal;
  #open = 0;

  /** All of them end with the signal. */
  constructor(ending: AbortSignal) {
    this.#ending = ending;
  }

  get open(): number {
    return this.#open;
  }

  /** `chunks` is told by its signal when nobody listens any more, and has to end then. */
  answer(
    chunks: (signal: AbortSignal) => AsyncIterable<string | Uint8Array>,
    outgoing: ServerResponse,
    headers: Readonly<Record<string, string>>,
  ): Response {
    if (this.#open >= maxStreams) {
      throw new ServerError("too_many", `${maxStreams} streams are open`, {
        remedy: "close some, and try again",
      });
    }
    this.#open += 1;
    const gone = new AbortController();
    const iterator = chunks(anySignal([gone.signal, this.#ending]))[Symbol.asyncIterator]();
    let stalled: NodeJS.Timeout | undefined;
    const end = () => {
      if (gone.signal.aborted) return;
      clearTimeout(stalled);
      gone.abort();
      this.#open -= 1;
    };
    outgoing.once("close", end);
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        clearTimeout(stalled);
        const { value, done } = await iterator.next();
        if (done) {
          end();
          return controller.close();
        }
        stalled = setTimeout(() => outgoing.destroy(), stalledMs);
        controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
      },
      cancel: end,
    });
    return new Response(body, { headers });
  }
}

export const eventStreamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
} as const;

export interface ServerSentEvent {
  id?: string;
  event?: string;
  data?: unknown;
}

/** JSON has no line breaks of its own, so nothing in the data can look like another field. */
export function writeEvent({ id, event, data }: ServerSentEvent): string {
  const lines = [
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(data === undefined ? [] : [`data: ${JSON.stringify(data)}`]),
  ];
  return `${lines.join("\n")}\n\n`;
}
