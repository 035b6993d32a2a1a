import { SandboxError } from "../../../errors.ts";

/**
 * Lists, looks, stops and removals take an engine moments, and a minute or two where it is overloaded or its disk is slow.
 * One that takes longer hangs, and whoever waits for it holds up others: there are locks that are held meanwhile.
 */
const patienceMs = 180_000;

/** Asks an engine for what it does at once, and waits for its answer for as long as one that works may take. */
export async function answered<T>(
  ask: (abortSignal: AbortSignal) => Promise<T>,
  withinMs: number = patienceMs,
): Promise<T> {
  const signal = AbortSignal.timeout(withinMs);
  try {
    return await ask(signal);
  } catch (cause) {
    if (!signal.aborted) throw cause;
    const message = `the Docker engine has not answered for ${withinMs / 1000} seconds`;
    throw new SandboxError("engine_unavailable", message, {
      remedy: "see whether it hangs (docker ps), and start it again if so",
      cause,
    });
  }
}
