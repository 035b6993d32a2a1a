/** At most so many works at a time; the others wait in line. One sandbox's slow names hold up no other's. */
export class Turns {
  readonly #limit: number;
  readonly #line: (() => void)[] = [];
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#taken >= this.#limit) await new Promise<void>((resolve) => this.#line.push(resolve));
    else this.#taken += 1;
    try {
      return await work();
    } finally {
      // The turn is handed on, so it stays taken.
      const next = this.#line.shift();
      if (next) next();
      else this.#taken -= 1;
    }
  }
}
