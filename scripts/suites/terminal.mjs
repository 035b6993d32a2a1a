import { installMissing } from "../packages/install.mjs";

/** @type {readonly import("../packages/install.mjs").Need[]} */
export const TERMINAL_NEEDS = [{ command: "tmux", packages: ["tmux"] }];

/**
 * What gives tests a terminal as a person has one. Throws `Unavailable` where it cannot be had: the tests that need it
 * skip themselves then.
 *
 * @param {(line: string) => void} onLine
 */
export function ensureTerminal(onLine) {
  return installMissing(TERMINAL_NEEDS, onLine);
}
