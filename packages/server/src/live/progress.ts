/** What nobody has taken by then is left out, the oldest first: whoever looks wants to know how far it is. */
const maxWaiting = 200;

/** What something tells of itself while it goes on, for a reader who takes it when they can. */
export class Progress<T> {
  #waiting: T[] = [];
  #wake: () => void = () => {};

  add(told: T): void {
    this.#waiting.push(told);
    if (this.#waiting.length > maxWaiting) this.#waiting.shift();
    this.#wake();
  }

  /** Everything that is told until this has come to its end, however it ends. */
  async *until(end: Promise<unknown>): AsyncGenerator<T> {
    let ended = false;
    const stop = () => {
      ended = true;
      this.#wake();
    };
    end.then(stop, stop);
    for (;;) {
      const taken = this.#waiting;
      this.#waiting = [];
      yield* taken;
      if (this.#waiting.length > 0) continue;
      if (ended) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
