import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../state/database.ts";

/** A set-up takes seconds to minutes. */
const lookEveryMs = 500;

/**
 * Runs `work` while nobody else does for any of these keys, and waits for whoever does. None is held while one is waited
 * for. Should the database die, two may work at the same time; what they make is the same.
 */
export async function withPreparation<T>(
  { locks }: Pick<Database, "locks">,
  keys: readonly string[],
  { signal, say }: { signal: AbortSignal; say: (line: string) => void },
  work: () => Promise<T>,
): Promise<T> {
  for (let waited = false; ; waited = true) {
    signal.throwIfAborted();
    const tried = await locks.whileHeld("preparation", keys, work);
    if (tried) return tried.result;
    if (!waited) say("another process is setting the project up: waiting for it");
    await sleep(lookEveryMs, undefined, { signal });
  }
}
