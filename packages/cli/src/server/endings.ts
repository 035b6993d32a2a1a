/** Listens for Ctrl-C and being told to terminate: the first asks to end, the second not to wait. */
export class Endings {
  readonly #first = new AbortController();
  readonly #second = new AbortController();

  constructor() {
    for (const name of signals) process.on(name, this.#take);
  }

  get first(): AbortSignal {
    return this.#first.signal;
  }

  get second(): AbortSignal {
    return this.#second.signal;
  }

  close(): void {
    for (const name of signals) process.off(name, this.#take);
  }

  readonly #take = (): void => {
    (this.#first.signal.aborted ? this.#second : this.#first).abort();
  };
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
