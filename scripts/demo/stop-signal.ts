/** As a shell says it. */
export const exitCodeOfInterrupt = 130;

/** Aborted once somebody wants this process to end: what it began is taken away first. */
export function stopSignal(): AbortSignal {
  const stopped = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stopped.abort());
  return stopped.signal;
}
