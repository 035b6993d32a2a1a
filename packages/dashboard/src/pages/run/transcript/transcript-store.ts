import type { AgentEvent } from "@opentiger/schema";
import { send } from "../../../api/ask.ts";
import { readEvents } from "../../../live/event-stream.ts";

export interface Transcript {
  events: readonly AgentEvent[];
  /** The run has ended, and this is all. */
  whole: boolean;
  /** Why there is nothing, where there was something once. */
  gone: string | null;
}

/** So often what came is drawn, however much of it there is. */
const drawMs = 120;

/** After the server went away. */
const againMs = 1_000;

/** What an agent says, as it says it. After the server was away it goes on behind the last event. */
export class TranscriptStore {
  readonly #run: string;
  readonly #listeners = new Set<() => void>();
  #events: AgentEvent[] = [];
  #shown: Transcript = { events: [], whole: false, gone: null };
  #whole = false;
  #gone: string | null = null;
  #drawing = false;

  constructor(run: string) {
    this.#run = run;
  }

  /** Until what it returns is called. */
  start = (): (() => void) => {
    const ending = new AbortController();
    void this.#follow(ending.signal);
    return () => ending.abort();
  };

  get = (): Transcript => this.#shown;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#whole) {
      await this.#read(signal).catch(() => {});
      if (!this.#whole) await new Promise((resolve) => setTimeout(resolve, againMs));
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const lastEventId = this.#events.at(-1)?.seq.toString();
    const answer = await send("GET", `/runs/${this.#run}/transcript/live`, { lastEventId, signal });
    for await (const { event, data } of readEvents(answer)) {
      if (event === "end") {
        this.#whole = true;
        // It is the server's own word.
        this.#gone = (JSON.parse(data) as Pick<Transcript, "gone">).gone;
      }
      // The server has checked that it is an event of an agent.
      else if (data !== "") this.#events.push(JSON.parse(data) as AgentEvent);
      else continue;
      this.#draw();
    }
  }

  #draw(): void {
    if (this.#drawing) return;
    this.#drawing = true;
    setTimeout(() => {
      this.#drawing = false;
      this.#shown = { events: this.#events.slice(), whole: this.#whole, gone: this.#gone };
      for (const listener of this.#listeners) listener();
    }, drawMs);
  }
}
