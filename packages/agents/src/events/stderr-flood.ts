/** What may come at once: the whole of any honest error message. */
const burstBytes = 256 * 1024;

/** And what may come all the time. A run of a day stays below two gigabytes, one of an hour below 60 MB. */
const bytesPerSecond = 16 * 1024;

/**
 * Decides which pieces of stderr are kept. A CLI that floods it is read on, so that it is not blocked, and what came
 * too fast is counted and left out.
 */
export class StderrFlood {
  #room = burstBytes;
  #at: number | undefined;

  takes(bytes: number, now: number): boolean {
    const passed = this.#at === undefined ? 0 : Math.max(0, now - this.#at);
    this.#at = now;
    this.#room = Math.min(burstBytes, this.#room + (passed / 1000) * bytesPerSecond);
    if (bytes > this.#room) return false;
    this.#room -= bytes;
    return true;
  }
}
