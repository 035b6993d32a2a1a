import { read, write } from "node:fs";
import { promisify } from "node:util";

const readInto = promisify(read);
const writeFrom = promisify(write);
const pieceBytes = 64 * 1024;

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

/** Writes all of it to an open file and returns how many bytes that were. */
export async function writeContent(fd: number, content: AsyncIterable<Buffer>): Promise<number> {
  let size = 0;
  for await (const chunk of content) {
    for (let start = 0; start < chunk.length; ) {
      const { bytesWritten } = await writeFrom(fd, chunk, start, chunk.length - start, null);
      start += bytesWritten;
    }
    size += chunk.length;
  }
  return size;
}
