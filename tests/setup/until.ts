import { setTimeout as delay } from "node:timers/promises";

/** A net for what never comes, and no claim: busy machines are slow. */
const defaultTimeoutMs = 60_000;
const lookEveryMs = 25;

/** Waits for a condition by asking often, and fails with its name when the time is over. Returns what it was. */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  timeoutMs = defaultTimeoutMs,
): Promise<NonNullable<T>> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const found = await condition();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited ${timeoutMs} ms in vain: ${what}`);
    await delay(lookEveryMs);
  }
}
