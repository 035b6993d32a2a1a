/** For as long as a signal is there, those that it was made of are too. */
const sources = new WeakMap<AbortSignal, readonly AbortSignal[]>();

/**
 * Aborted as soon as one of these is. `AbortSignal.any` alone lets go of what it is made of: in Node 20 a timeout that nobody
 * else holds is collected as garbage, and then never comes.
 */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  const any = AbortSignal.any([...signals]);
  sources.set(any, signals);
  return any;
}
