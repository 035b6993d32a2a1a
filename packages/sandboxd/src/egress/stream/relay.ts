import type { Duplex } from "node:stream";

/**
 * Sends each side's bytes to the other until both have ended. One side's end is passed on and the other way stays
 * open; one side's death is the other's. Nothing is kept but what the two streams hold: a slow reader stops the writer.
 */
export function relay(inside: Duplex, outside: Duplex): void {
  flow(outside, inside);
  flow(inside, outside);
}

/** One half of a relay. Both halves must follow, or a stream that dies early is noticed by one side only. */
export function flow(from: Duplex, to: Duplex): void {
  // An orderly end may leave bytes of the other direction still to be sent, so it destroys nothing.
  const onClose = () => {
    if (!from.readableEnded) to.destroy();
    if (to.destroyed && !to.writableFinished) from.destroy();
  };
  from.once("close", onClose);
  to.once("close", onClose);
  if (from.destroyed || to.destroyed) onClose();
  if (!to.destroyed) from.pipe(to);
}
