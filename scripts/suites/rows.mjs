/** @typedef {import("./suites.mjs").Suite} Suite */

/**
 * The suites in the order in which they run, each with those that run beside it. One whose neighbour is not among them
 * runs by itself.
 *
 * @param {readonly Suite[]} chosen
 * @returns {{front: Suite, beside: readonly Suite[]}[]}
 */
export function inRows(chosen) {
  const names = new Set(chosen.map(({ name }) => name));
  const hasNeighbour = (/** @type {Suite} */ { beside }) => beside !== undefined && names.has(beside);
  return chosen
    .filter((suite) => !hasNeighbour(suite))
    .map((front) => ({
      front,
      beside: chosen.filter((suite) => hasNeighbour(suite) && suite.beside === front.name),
    }));
}
