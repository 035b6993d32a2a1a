import { createReadStream, statSync } from "node:fs";

/** Reads on in a log that a process of ours writes. One that is not there yet, or was emptied where it is, is no error. */
export class LogTail {
  readonly #path: string;
  #from: number;

  /** From its beginning, or from where it ends now. */
  constructor(path: string, from: "beginning" | "end") {
    this.#path = path;
    this.#from = from === "end" ? sizeOf(path) : 0;
  }

  /** What was written since. */
  async *read(): AsyncGenerator<string, void> {
    const size = sizeOf(this.#path);
    if (size < this.#from) this.#from = 0;
    if (size === this.#from) return;
    const chunks = createReadStream(this.#path, { start: this.#from, end: size - 1, encoding: "utf8" });
    // Node types the chunks of a stream with an encoding as any; they are strings.
    yield* chunks as AsyncIterable<string>;
    this.#from = size;
  }
}

/** Hands on whole lines; what has no end yet waits for it. */
export function linewise(take: (line: string) => void): (text: string) => void {
  let begun = "";
  return (text) => {
    const lines = (begun + text).split("\n");
    begun = lines.pop() ?? "";
    for (const line of lines) take(line);
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
