import { send } from "../api/ask.ts";
import { failureOf } from "../api/failure.ts";
import { readEvents, type StreamEvent } from "./event-stream.ts";

export type ConnectionState = "connecting" | "live" | "lost" | "refused";

export interface ConnectionOptions {
  onEvent(event: StreamEvent): void;
  /** Connected again: what has no number may have been missed. */
  onBack(): void;
}

/** Between tries; the last one stays. */
const pausesMs = [250, 500, 1_000, 2_000, 5_000];

/** The server says something every 15 seconds at least; a line that is silent for longer is dead. */
const silentMs = 40_000;

/** A page that nobody looks at gives its connection back: browsers have six for all tabs together. */
const hiddenMs = 20_000;

/**
 * The one stream of what happens. It goes on where it was when it comes back, so nothing is missed and nothing comes
 * twice, whichever server answers.
 */
export class Connection {
  #state: ConnectionState = "connecting";
  #place: string | undefined;
  #tries = 0;
  #current: AbortController | undefined;
  #timer: number | undefined;
  #hidden: number | undefined;
  readonly #options: ConnectionOptions;
  readonly #listeners = new Set<() => void>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  start(): void {
    document.addEventListener("visibilitychange", this.#onVisibility);
    window.addEventListener("online", this.retry);
    this.#connect();
  }

  /** Now, and not when the pause is over. */
  retry = (): void => {
    if (this.#state === "live") return;
    this.#tries = 0;
    this.#connect();
  };

  #connect(): void {
    clearTimeout(this.#timer);
    this.#current?.abort();
    const current = new AbortController();
    this.#current = current;
    void this.#follow(current).then(
      () => this.#again(current, "lost"),
      (error: unknown) => this.#again(current, failureOf(error).status === 401 ? "refused" : "lost"),
    );
  }

  async #follow(current: AbortController): Promise<void> {
    const answer = await send("GET", "/events", { query: { after: this.#place }, signal: current.signal });
    let silence = setTimeout(() => current.abort(), silentMs);
    try {
      for await (const event of readEvents(answer)) {
        clearTimeout(silence);
        silence = setTimeout(() => current.abort(), silentMs);
        this.#take(event);
      }
    } finally {
      clearTimeout(silence);
    }
  }

  #take(event: StreamEvent): void {
    if (event.id !== undefined) this.#place = event.id;
    if (event.event === "hello" || event.event === "reset") {
      this.#tries = 0;
      this.#set("live");
      this.#options.onBack();
    }
    if (event.event !== "") this.#options.onEvent(event);
  }

  #again(ended: AbortController, state: ConnectionState): void {
    if (ended !== this.#current) return;
    this.#set(state);
    const pause = pausesMs[Math.min(this.#tries, pausesMs.length - 1)] ?? 0;
    this.#tries += 1;
    if (!document.hidden) this.#timer = window.setTimeout(() => this.#connect(), pause);
  }

  #onVisibility = (): void => {
    clearTimeout(this.#hidden);
    if (document.hidden) {
      this.#hidden = window.setTimeout(() => this.#current?.abort(), hiddenMs);
    } else {
      this.retry();
    }
  };

  #set(state: ConnectionState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
