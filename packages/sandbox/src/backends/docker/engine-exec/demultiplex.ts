import type { Readable } from "node:stream";

const headerBytes = 8;

export interface Piece {
  stream: "stdout" | "stderr";
  data: Buffer;
}

/**
 * The two streams of an Engine exec, in the order they came. The engine puts the stream's number and a length before
 * each piece. Pieces are handed on as they arrive, not when they are complete, so nothing large is ever held; not
 * reading stops the engine from sending.
 */
export async function* demultiplex(wire: Readable): AsyncGenerator<Piece> {
  const demultiplexer = new Demultiplexer();
  // A stream without an encoding gives buffers; its iterator is typed as any.
  for await (const chunk of wire as AsyncIterable<Buffer>) yield* demultiplexer.push(chunk);
}

/** The same, for bytes that come by themselves. */
export class Demultiplexer {
  #header: Buffer = Buffer.alloc(0);
  #left = 0;
  #stream: Piece["stream"] = "stdout";

  push(chunk: Buffer): Piece[] {
    const pieces: Piece[] = [];
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#left === 0) {
        rest = this.#takeHeader(rest);
        continue;
      }
      const data = rest.subarray(0, this.#left);
      this.#left -= data.length;
      rest = rest.subarray(data.length);
      pieces.push({ stream: this.#stream, data });
    }
    return pieces;
  }

  #takeHeader(bytes: Buffer): Buffer {
    const wanted = headerBytes - this.#header.length;
    this.#header = Buffer.concat([this.#header, bytes.subarray(0, wanted)]);
    if (this.#header.length === headerBytes) {
      this.#stream = this.#header.readUInt8(0) === 2 ? "stderr" : "stdout";
      this.#left = this.#header.readUInt32BE(4);
      this.#header = Buffer.alloc(0);
    }
    return bytes.subarray(wanted);
  }
}
