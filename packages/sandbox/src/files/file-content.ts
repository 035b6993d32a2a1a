import { read, readSync, write, writeSync } from "node:fs";
import { promisify } from "node:util";

const readInto = promisify(read);
const writeFrom = promisify(write);
const pieceBytes = 64 * 1024;

/** Files up to this size are read in one call: for many of them, waiting costs more than reading. */
export const smallFile = 64 * 1024;

/** The same for writing; less, since a disk may be slower to take than to give. */
const smallWrite = 16 * 1024;

export function readSmall(fd: number, size: number): [Buffer] {
  const buffer = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const bytes = readSync(fd, buffer, filled, size - filled, null);
    if (bytes === 0) break;
    filled += bytes;
  }
  return [buffer.subarray(0, filled)];
}

/** The content of an open file, at most so many bytes of it. */
export async function* readContent(
  fd: number,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<Buffer, void> {
  for (let left = most; left > 0; ) {
    const buffer = Buffer.allocUnsafe(Math.min(pieceBytes, left));
    const { bytesRead } = await readInto(fd, buffer, 0, buffer.length, null);
    if (bytesRead === 0) return;
    left -= bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Writes all of it to an open file and returns how many bytes that were. Small pieces are not waited for. */
export async function writeContent(
  fd: number,
  content: Iterable<Buffer> | AsyncIterable<Buffer>,
): Promise<number> {
  let size = 0;
  for await (const chunk of content) {
    for (let start = 0; start < chunk.length; ) {
      const left = chunk.length - start;
      if (left <= smallWrite) start += writeSync(fd, chunk, start, left, null);
      else start += (await writeFrom(fd, chunk, start, left, null)).bytesWritten;
    }
    size += chunk.length;
  }
  return size;
}
