import { leftToOthers } from "../stage/lease-lost.ts";

export interface StopSignals {
  /** The agent is to be ended. */
  cancel: AbortSignal;
  /** It is another process's now, and goes on. */
  letGo: AbortSignal;
  /** Forgets the stage's signal. */
  leave(): void;
}

/** One signal stops a stage for two reasons, and its agent must be ended for the one and left alone for the other. */
export function stopSignals(signal: AbortSignal): StopSignals {
  const [cancel, letGo] = [new AbortController(), new AbortController()];
  const abort = (): void => (leftToOthers(signal) ? letGo : cancel).abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return {
    cancel: cancel.signal,
    letGo: letGo.signal,
    leave: () => signal.removeEventListener("abort", abort),
  };
}
