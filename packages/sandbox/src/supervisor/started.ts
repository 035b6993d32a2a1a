import type { Readable, Writable } from "node:stream";

/** How a command ended: one of the two is null. */
export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A command that was started, in whichever way. */
export interface Started {
  pid: number;
  /** null where there is none: no stdin was wanted, the output is discarded. */
  stdin: Writable | null;
  stdout: Readable | null;
  stderr: Readable | null;
  /** To this process and never to another, also when it has ended: for when it does not carry its mark yet. */
  kill(signal: NodeJS.Signals): void;
  /** Rejects when what started it was gone before it ended, so that nobody knows how. */
  ended: Promise<Ended>;
}
