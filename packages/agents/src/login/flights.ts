import { abortReason } from "./abort-reason.ts";

interface Flight<T> {
  promise: Promise<T>;
  controller: AbortController;
  waiting: number;
}

/**
 * Answers that are good for a moment, and questions that are asked once however many want to know. Each asker may give
 * up for itself; when the last one has, the question is given up, too.
 */
export class Flights<T> {
  readonly #keptMs: number;
  readonly #now: () => number;
  readonly #kept = new Map<string, { value: T; at: number }>();
  readonly #flying = new Map<string, Flight<T>>();

  constructor(keptMs: number, now: () => number = Date.now) {
    this.#keptMs = keptMs;
    this.#now = now;
  }

  async ask(
    key: string,
    find: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    signal?.throwIfAborted();
    const kept = this.#kept.get(key);
    if (kept && this.#now() - kept.at < this.#keptMs) return kept.value;
    const flight = this.#flying.get(key) ?? this.#start(key, find);
    return this.#wait(key, flight, signal);
  }

  #start(key: string, find: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController();
    const promise = find(controller.signal);
    const flight = { promise, controller, waiting: 0 };
    this.#flying.set(key, flight);
    const land = () => this.#flying.get(key) === flight && this.#flying.delete(key);
    promise.then((value) => {
      land();
      if (!controller.signal.aborted) this.#kept.set(key, { value, at: this.#now() });
    }, land);
    return flight;
  }

  #wait(key: string, flight: Flight<T>, signal: AbortSignal | undefined): Promise<T> {
    flight.waiting += 1;
    if (!signal) return flight.promise;
    return new Promise<T>((resolve, reject) => {
      const onAbort = () => {
        reject(abortReason(signal));
        flight.waiting -= 1;
        if (flight.waiting > 0) return;
        // Whoever asks next does not want the answer of a question that was given up.
        if (this.#flying.get(key) === flight) this.#flying.delete(key);
        flight.controller.abort(signal.reason);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      flight.promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
    });
  }
}
