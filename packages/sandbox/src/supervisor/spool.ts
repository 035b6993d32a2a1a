import type { SpoolBudget } from "./spool-budget.ts";

export type StreamName = "stdout" | "stderr";

export interface SpoolChunk {
  stream: StreamName;
  offset: number;
  data: Buffer;
}

export type Offsets = Record<StreamName, number>;

/** What a chunk costs beside its bytes, so that a million tiny writes are bounded too. */
const chunkOverhead = 128;

/** What a spool may hold when all of them together hold too much: enough for a command that says what it did. */
const ownBytes = 64 * 1024;

/**
 * The output of one exec that nobody has acknowledged yet, in the order it came. The owner stops reading the
 * command's pipes while it is full, so its size is bounded by the limit plus one pipe read. Where a budget is given,
 * what it holds counts there for as long as the command runs.
 */
export class Spool {
  readonly written: Offsets = { stdout: 0, stderr: 0 };
  readonly acknowledged: Offsets = { stdout: 0, stderr: 0 };
  #chunks: SpoolChunk[] = [];
  /** What comes before was discarded, acknowledged or not. */
  #heldFrom: Offsets = { stdout: 0, stderr: 0 };
  /** Number of chunks dropped so far: the position of the first one held. */
  #dropped = 0;
  #bytes = 0;
  #budget: SpoolBudget | undefined;

  constructor(
    readonly limit: number,
    budget?: SpoolBudget,
  ) {
    this.#budget = budget;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get full(): boolean {
    return this.#bytes >= this.limit || (this.#bytes >= ownBytes && this.#budget?.isUsedUp === true);
  }

  /** What a command that has ended left is no longer counted: it cannot become more. */
  leaveBudget(): void {
    this.#budget?.giveBack(this.#bytes);
    this.#budget = undefined;
  }

  append(stream: StreamName, data: Buffer): void {
    this.#chunks.push({ stream, offset: this.written[stream], data });
    this.written[stream] += data.length;
    this.#bytes += data.length + chunkOverhead;
    this.#budget?.take(data.length + chunkOverhead);
  }

  /** Drops what lies wholly below the acknowledged offsets, from the front. */
  acknowledge(stream: StreamName, offset: number): void {
    if (offset <= this.acknowledged[stream]) return;
    this.acknowledged[stream] = Math.min(offset, this.written[stream]);
    let drop = 0;
    let freed = 0;
    for (const chunk of this.#chunks) {
      if (chunk.offset + chunk.data.length > this.acknowledged[chunk.stream]) break;
      freed += chunk.data.length + chunkOverhead;
      drop += 1;
    }
    if (drop === 0) return;
    this.#chunks = this.#chunks.slice(drop);
    this.#dropped += drop;
    this.#bytes -= freed;
    this.#budget?.giveBack(freed);
  }

  /** Lets go of what nobody has read: whoever asks for it later is told that it is not here. */
  discard(): void {
    this.#dropped += this.#chunks.length;
    this.#chunks = [];
    this.#bytes = 0;
    this.#heldFrom = { ...this.written };
  }

  /** true when every byte from these offsets on is still here. */
  holds(from: Offsets): boolean {
    return (["stdout", "stderr"] as const).every(
      (stream) =>
        from[stream] >= Math.max(this.acknowledged[stream], this.#heldFrom[stream]) &&
        from[stream] <= this.written[stream],
    );
  }

  /** A reader that starts at these offsets and never gives a byte twice. */
  reader(from: Offsets): SpoolReader {
    let position = this.#dropped;
    return {
      next: () => {
        for (;;) {
          position = Math.max(position, this.#dropped);
          const chunk = this.#chunks[position - this.#dropped];
          if (!chunk) return undefined;
          position += 1;
          const skip = Math.max(0, from[chunk.stream] - chunk.offset);
          if (skip >= chunk.data.length) continue;
          if (skip === 0) return chunk;
          return { stream: chunk.stream, offset: chunk.offset + skip, data: chunk.data.subarray(skip) };
        }
      },
    };
  }
}

export interface SpoolReader {
  next(): SpoolChunk | undefined;
}
