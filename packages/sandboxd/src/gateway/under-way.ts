/** Counts what has been started and not ended, by name. */
export class UnderWay {
  readonly #counts = new Map<string, number>();

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** Returns what ends it. */
  start(names: readonly string[]): () => void {
    for (const name of names) this.#counts.set(name, this.of(name) + 1);
    return () => {
      for (const name of names) {
        const left = this.of(name) - 1;
        if (left > 0) this.#counts.set(name, left);
        else this.#counts.delete(name);
      }
    };
  }
}
