import type { AgentEvent } from "@opentiger/schema";

/** What may wait for a reader before the CLI is made to wait. */
const mostEvents = 1_000;
const mostCharacters = 4 * 1024 * 1024;

/** What may wait when the CLI was ended and nobody is waited for: more than what it left in its pipes. */
const hurriedFactor = 20;

/**
 * The events of a run on their way to the one who reads them. While somebody reads, nothing is lost: a slow reader slows
 * the CLI. While nobody has begun to, the oldest are let go once the queue is full, so that a run whose events interest
 * nobody still ends; who stops reading is told nothing more and holds up nothing.
 */
export class EventQueue implements AsyncIterable<AgentEvent> {
  readonly #events: { event: AgentEvent; characters: number }[] = [];
  #characters = 0;
  #reader: "none" | "reading" | "gone" = "none";
  #patient = true;
  #closed = false;
  #wakeReader: (() => void) | undefined;
  #wakeWriter: (() => void) | undefined;

  /** Resolves when there is room for the next one. */
  async push(event: AgentEvent): Promise<void> {
    if (this.#reader === "gone") return;
    const characters = sizeOf(event);
    this.#events.push({ event, characters });
    this.#characters += characters;
    this.#wakeReader?.();
    if (this.#reader === "none" || !this.#patient) while (this.#isFull) this.#shift();
    while (this.#isFull && this.#patient && this.#reader === "reading") {
      await new Promise<void>((resolve) => {
        this.#wakeWriter = resolve;
      });
    }
  }

  /** Whether the CLI waits for the reader. */
  get isFull(): boolean {
    return this.#isFull && this.#reader === "reading";
  }

  /** From now on nobody is waited for: the CLI is being ended. What it still says is kept, within a larger bound. */
  hurry(): void {
    this.#patient = false;
    this.#wakeWriter?.();
  }

  close(): void {
    this.#closed = true;
    this.#wakeReader?.();
  }

  /** There is one reader: events are given out once. */
  [Symbol.asyncIterator](): AsyncIterator<AgentEvent, void> {
    if (this.#reader !== "none") throw new Error("the events of a run are read once");
    this.#reader = "reading";
    return {
      next: () => this.#next(),
      return: async () => {
        this.#reader = "gone";
        this.#events.length = 0;
        this.#characters = 0;
        this.#wakeWriter?.();
        return { done: true, value: undefined };
      },
    };
  }

  async #next(): Promise<IteratorResult<AgentEvent, void>> {
    for (;;) {
      const event = this.#shift();
      if (event) return { done: false, value: event };
      if (this.#closed || this.#reader === "gone") return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve;
      });
    }
  }

  get #isFull(): boolean {
    const factor = this.#patient ? 1 : hurriedFactor;
    return this.#events.length > mostEvents * factor || this.#characters > mostCharacters * factor;
  }

  #shift(): AgentEvent | undefined {
    const first = this.#events.shift();
    if (!first) return undefined;
    this.#characters -= first.characters;
    if (!this.#isFull) this.#wakeWriter?.();
    return first.event;
  }
}

function sizeOf(event: AgentEvent): number {
  let characters = 0;
  for (const value of Object.values(event)) if (typeof value === "string") characters += value.length;
  return characters;
}
