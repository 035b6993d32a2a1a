import { monitorEventLoopDelay } from "node:perf_hooks";

/** For how long this process's event loop was held up at most while something was done, in milliseconds. */
export async function loopDelayDuring<T>(act: () => Promise<T>): Promise<{ result: T; longestMs: number }> {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  try {
    const result = await act();
    return { result, longestMs: delay.max / 1e6 };
  } finally {
    delay.disable();
  }
}
