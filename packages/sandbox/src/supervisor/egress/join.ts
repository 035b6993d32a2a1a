import type { Duplex } from "node:stream";

/** Joins two streams both ways. The end of one direction is passed on by itself; a failure of one side ends the other. */
export function join(one: Duplex, other: Duplex): void {
  one.pipe(other);
  other.pipe(one);
  endTogether(one, other);
  endTogether(other, one);
}

function endTogether(failing: Duplex, other: Duplex): void {
  failing.on("error", () => other.destroy());
  // One that was closed in order has passed on its end, and the other may still be sending.
  failing.once("close", () => {
    if (!failing.readableEnded || !failing.writableFinished) other.destroy();
  });
}
