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

/**
 * The same for a step beside which something else goes on aloud: each of its lines says whose it is.
 *
 * @template T
 * @param {string} name
 * @param {(say: (line: string) => void) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function stepBeside(name, work) {
  const started = performance.now();
  const say = (/** @type {string} */ line) => console.log(`  [${name}] ${line.trimStart()}`);
  console.log(`▸ ${name}, beside what follows`);
  const result = await work(say);
  say(`ended after ${seconds(performance.now() - started)}`);
  return result;
}

/** @param {number} milliseconds */
export function seconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
