import type { Readable } from "node:stream";

const headerBytes = 8;

/**
 * The two streams of an Engine exec, in the order they came. The engine puts the stream's number and a length before
 * each piece. Pieces are handed on as they arrive, not when they are complete, so nothing large is ever held; not
 * reading stops the engine from sending.
 */
export async function* demultiplex(
  wire: Readable,
): AsyncGenerator<{ stream: "stdout" | "stderr"; data: Buffer }> {
  let header: Buffer = Buffer.alloc(0);
  let left = 0;
  let stream: "stdout" | "stderr" = "stdout";
  // A stream without an encoding gives buffers; its iterator is typed as any.
  for await (const chunk of wire as AsyncIterable<Buffer>) {
    let rest = chunk;
    while (rest.length > 0) {
      if (left === 0) {
        const wanted = headerBytes - header.length;
        header = Buffer.concat([header, rest.subarray(0, wanted)]);
        rest = rest.subarray(wanted);
        if (header.length < headerBytes) break;
        stream = header.readUInt8(0) === 2 ? "stderr" : "stdout";
        left = header.readUInt32BE(4);
        header = Buffer.alloc(0);
        continue;
      }
      const data = rest.subarray(0, left);
      left -= data.length;
      rest = rest.subarray(data.length);
      yield { stream, data };
    }
  }
}
