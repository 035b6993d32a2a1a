/**
 * @typedef {object} Tally
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {readonly string[]} [complaints] what failed and why, to be read without scrolling back
 * @property {readonly {name: string, milliseconds: number}[]} [times] of each test
 */

/** @type {Tally} */
export const NOTHING = { passed: 0, failed: 0, skipped: 0 };

/** One thing that is either well or not. @param {boolean} passed @returns {Tally} */
export function one(passed) {
  return { ...NOTHING, [passed ? "passed" : "failed"]: 1 };
}

/** @param {Tally} left @param {Tally} right @returns {Tally} */
export function add(left, right) {
  return {
    passed: left.passed + right.passed,
    failed: left.failed + right.failed,
    skipped: left.skipped + right.skipped,
  };
}

/** Where everything is required, what was skipped has failed. @param {Tally} tally @param {NodeJS.ProcessEnv} env */
export function strict(tally, env) {
  if (env.OPENTIGER_REQUIRE_ALL !== "1") return tally;
  return { passed: tally.passed, failed: tally.failed + tally.skipped, skipped: 0 };
}

/** @param {Tally} tally */
export function sentence({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
