import { setTimeout as delay } from "node:timers/promises";

/** A net for what never comes, and no claim: busy machines are slow. */
const defaultTimeoutMs = 60_000;

/** Often at first; what takes longer is asked for less often, since asking takes a good part of a core. */
export const oftenMs = 25;
const oftenForMs = 5_000;
const laterMs = 100;

/** For what takes long and is asked of a database, and for what starts a process whenever it is asked. */
export const seldomMs = 200;

/** Waits for a condition by asking often, and fails with its name when the time is over. Returns what it was. */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  timeoutMs = defaultTimeoutMs,
  everyMs?: number,
): Promise<NonNullable<T>> {
  const begun = Date.now();
  for (;;) {
    const found = await condition();
    if (found) return found;
    const passedMs = Date.now() - begun;
    if (passedMs > timeoutMs) throw new Error(`waited ${timeoutMs} ms in vain: ${what}`);
    await delay(everyMs ?? (passedMs < oftenForMs ? oftenMs : laterMs));
  }
}
