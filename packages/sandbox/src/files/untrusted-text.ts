/** Control and format characters: escape sequences, bidirectional overrides, invisible joiners, line separators. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/**
 * Text that an agent may have written, on one line and safe to print: nothing in it moves the cursor, reorders
 * what stands beside it or fills the screen.
 */
export function printable(text: string, longest = 300): string {
  const plain = text.replaceAll(unprintable, " ").trim();
  return plain.length <= longest ? plain : `${plain.slice(0, longest)}…`;
}

/** The same for several lines: the last ones count, since that is where a command says why it failed. */
export function lastLines(text: string, most = 3): string {
  const lines = text.split("\n").map((line) => printable(line));
  return lines
    .filter((line) => line !== "")
    .slice(-most)
    .join("; ");
}

/** Keeps the end of a stream of text, so that endless output costs no memory. */
export class TextTail {
  #kept: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): void {
    this.#kept = Buffer.concat([this.#kept, chunk]).subarray(-tailBytes);
  }

  toString(): string {
    return this.#kept.toString("utf8");
  }
}

const tailBytes = 8 * 1024;
