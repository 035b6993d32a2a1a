/** So long a second Ctrl-C is waited for. */
const secondMs = 2_000;

export interface Interruptions {
  /** Once: somebody wants to leave. */
  first: () => void;
  /** Right after it: somebody wants it to end. */
  second: () => Promise<void>;
}

/**
 * Listens for Ctrl-C. Its signal is aborted when it came and was not followed by another one; after a second one it is
 * not, since whoever ended something waits for the end. Being told to terminate is leaving at once. What comes before there
 * is something to leave is kept until then.
 */
export class Interrupted {
  readonly #leave = new AbortController();
  #asked: Interruptions | undefined;
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor() {
    process.on("SIGINT", this.#interrupt);
    process.on("SIGTERM", this.#terminate);
    process.on("SIGHUP", this.#terminate);
  }

  get signal(): AbortSignal {
    return this.#leave.signal;
  }

  /** Who is told from now on, also of what came before. */
  tell(asked: Interruptions): void {
    this.#asked = asked;
    for (let nth = 1; nth <= this.#count; nth += 1) this.#act(asked, nth);
  }

  /** As if somebody wanted to leave. */
  leave(): void {
    this.#leave.abort();
  }

  close(): void {
    clearTimeout(this.#timer);
    process.off("SIGINT", this.#interrupt);
    process.off("SIGTERM", this.#terminate);
    process.off("SIGHUP", this.#terminate);
  }

  readonly #terminate = (): void => this.#leave.abort();

  readonly #interrupt = (): void => {
    this.#count += 1;
    if (this.#asked) this.#act(this.#asked, this.#count);
  };

  #act(asked: Interruptions, nth: number): void {
    if (nth === 1) {
      asked.first();
      this.#timer = setTimeout(this.#terminate, secondMs);
    } else if (nth === 2) {
      clearTimeout(this.#timer);
      // What cannot be ended is left; the loop says in what state it is.
      void asked.second().catch(this.#terminate);
    } else this.#terminate();
  }
}
