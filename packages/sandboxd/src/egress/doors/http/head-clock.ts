import type { Duplex } from "node:stream";

/** How long a connection may be without a whole request: idle between two of them, or sending one by the byte. */
const headMs = 60_000;

const clocks = new WeakMap<Duplex, HeadClock>();

/** The clock of a stream. Node's own header timeout works for servers that listen, which ours does not. */
export function headClock(stream: Duplex): HeadClock {
  const known = clocks.get(stream);
  if (known) return known;
  const clock = new HeadClock(stream);
  clocks.set(stream, clock);
  stream.once("close", () => clock.stop());
  return clock;
}

class HeadClock {
  readonly #stream: Duplex;
  #timer: NodeJS.Timeout | undefined;

  constructor(stream: Duplex) {
    this.#stream = stream;
  }

  start(): void {
    this.stop();
    this.#timer = setTimeout(() => this.#stream.destroy(), headMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
