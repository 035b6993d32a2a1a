/** A line that is longer than the limit is told by its beginning and its size. */
export type Line = { kind: "whole"; text: string } | { kind: "cut"; text: string; bytes: number };

export interface LineLimits {
  /** A longer line is never held as a whole. */
  lineBytes: number;
  /** So much of it is kept then. */
  headBytes: number;
}

const newline = 0x0a;
const carriageReturn = 0x0d;

/**
 * Splits bytes that arrive in pieces of any size into lines. However they were cut, the same bytes give the same lines;
 * at most one line is held, and never more of it than the limit. What is not UTF-8 becomes U+FFFD.
 */
export class LineSplitter {
  readonly #limits: LineLimits;
  #pieces: Buffer[] = [];
  #held = 0;
  /** Of the line so far, held or not. */
  #bytes = 0;

  constructor(limits: LineLimits) {
    this.#limits = limits;
  }

  *push(chunk: Buffer): Generator<Line, void> {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#hold(chunk.subarray(start, end));
      yield this.#take();
      start = end + 1;
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start));
  }

  /** The last line, where it has no end of its own. */
  *end(): Generator<Line, void> {
    if (this.#bytes > 0) yield this.#take();
  }

  #hold(piece: Buffer): void {
    if (piece.length === 0) return;
    const { lineBytes, headBytes } = this.#limits;
    const before = this.#bytes;
    this.#bytes += piece.length;
    if (this.#bytes <= lineBytes) {
      this.#pieces.push(piece);
      this.#held += piece.length;
      return;
    }
    if (before <= lineBytes) {
      // A copy: a part of a piece would keep the whole of it in memory.
      const head = Buffer.concat([...this.#pieces, piece]).subarray(0, headBytes);
      this.#pieces = [Buffer.from(head)];
      this.#held = head.length;
    }
  }

  #take(): Line {
    const [only] = this.#pieces;
    const bytes = this.#pieces.length === 1 && only ? only : Buffer.concat(this.#pieces, this.#held);
    const size = this.#bytes;
    this.#pieces = [];
    this.#held = 0;
    this.#bytes = 0;
    if (size > this.#limits.lineBytes) return { kind: "cut", text: bytes.toString("utf8"), bytes: size };
    const length = bytes.at(-1) === carriageReturn ? bytes.length - 1 : bytes.length;
    return { kind: "whole", text: bytes.toString("utf8", 0, length) };
  }
}
