const block = 512;

/** An archive ends with two blocks of zeros; without them it may have been cut between two entries. */
const markBytes = 2 * block;

/**
 * Watches an archive pass and knows whether it came to its proper end. The parser does not ask for the end mark,
 * and zeros alone prove nothing, since a file may end with them: they must lie behind the last entry.
 */
export class ArchiveEnd {
  #seen = 0;
  #zeros = 0;
  #lastEntry = 0;

  push(chunk: Buffer): void {
    this.#seen += chunk.length;
    let last = chunk.length - 1;
    while (last >= 0 && chunk[last] === 0) last -= 1;
    const zeros = chunk.length - 1 - last;
    this.#zeros = last === -1 ? this.#zeros + zeros : zeros;
  }

  /** Tells where the content of an entry starts, and how long it is. */
  entry(contentOffset: number, size: number): void {
    this.#lastEntry = contentOffset + Math.ceil(size / block) * block;
  }

  get isProper(): boolean {
    return this.#zeros >= markBytes && this.#seen - this.#lastEntry >= markBytes;
  }
}
