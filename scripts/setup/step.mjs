/**
 * Does one step of the set-up aloud: its name before it, its time after it.
 *
 * @template T
 * @param {string} name
 * @param {(say: (line: string) => void) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(name, work) {
  const started = performance.now();
  console.log(`▸ ${name}`);
  const result = await work((line) => console.log(`  ${line}`));
  console.log(`  ${seconds(performance.now() - started)}`);
  return result;
}

/** @param {number} milliseconds */
export function seconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
