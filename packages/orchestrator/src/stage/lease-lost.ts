/**
 * The reason with which work is stopped whose lease is somebody else's by now, or whose stage was ended. Whoever is
 * stopped with it touches nothing any more: sandboxes, refs and agents belong to the next holder.
 */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";

  constructor(stage: number) {
    super(`the lease on stage ${stage} is over`);
  }
}

/** The reason with which work is stopped because its process ends. Agents go on, and the next process adopts them. */
export class ProcessEnding extends Error {
  override readonly name = "ProcessEnding";

  constructor() {
    super("this process ends; what it worked on is taken over by the next one");
  }
}

/** Whether work was stopped for another one to go on with it: nothing is written, nothing is cleaned up. */
export function leftToOthers(signal: AbortSignal): boolean {
  return signal.aborted && (signal.reason instanceof LeaseLost || signal.reason instanceof ProcessEnding);
}
