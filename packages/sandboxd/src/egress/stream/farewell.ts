import type { Duplex } from "node:stream";

/** Long enough for the last bytes to be read; the stream of somebody who does not read them is destroyed. */
const farewellMs = 2000;

/**
 * Says the last bytes and ends the stream. What still comes in is read and dropped: unread bytes would turn the
 * end into a reset, and the reset would swallow the last bytes.
 */
export function farewell(stream: Duplex, lastBytes: Buffer | string): void {
  if (stream.destroyed) return;
  const timer = setTimeout(() => stream.destroy(), farewellMs);
  stream.once("close", () => clearTimeout(timer));
  stream.resume();
  stream.end(lastBytes);
}
