const perMinute = 60;

/** Lets through so many a minute. */
export class RefusedBound {
  #from = Number.NEGATIVE_INFINITY;
  #count = 0;

  allows(now: number): boolean {
    if (now - this.#from > 60_000) {
      this.#from = now;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count <= perMinute;
  }
}
