import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

/** While a model thinks, something comes this often. */
const pingEveryMs = 1000;

export interface SseEvent {
  type: string;
  [key: string]: unknown;
}

/** The events of one answer. Every wait ends with the client. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly signal: AbortSignal;

  constructor(response: ServerResponse, signal: AbortSignal) {
    this.#response = response;
    this.signal = signal;
  }

  open(headers: Readonly<Record<string, string>> = {}): void {
    this.#response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      ...headers,
    });
    this.#response.flushHeaders();
  }

  send(event: SseEvent): void {
    this.#response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }

  raw(text: string): void {
    this.#response.write(text);
  }

  async wait(ms: number): Promise<void> {
    await waitFor(ms, this.signal);
  }

  /** Waits, and sends this now and then. */
  async waitWith(ms: number, event: SseEvent): Promise<void> {
    for (let left = ms; left > 0; left -= pingEveryMs) {
      this.send(event);
      await this.wait(Math.min(left, pingEveryMs));
    }
  }

  end(): void {
    this.#response.end();
  }

  /** What was written so far has left before the connection is gone. */
  async cut(): Promise<void> {
    await new Promise<void>((resolve) => this.#response.write(": ", () => resolve()));
    this.#response.destroy();
  }
}

/** Longer than any test lives, and as long as a timer can be. */
const foreverMs = 2 ** 31 - 1;

export async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await delay(Math.min(ms, foreverMs), undefined, { signal });
}
