import type { Place } from "../../place.ts";

/** One after the other. One that fails is logged, and keeps those behind it from nothing. */
export async function forEachLoop(
  { log }: Pick<Place, "log">,
  loops: readonly string[],
  work: (loop: string) => Promise<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  for (const loop of loops) {
    if (signal?.aborted) return;
    await work(loop).catch((error: unknown) => {
      if (!signal?.aborted) log(`loop ${loop}: ${String(error)}`);
    });
  }
}
