import { installMissing } from "../packages/install.mjs";

/**
 * What gives tests a terminal as a person has one. Throws `Unavailable` where it cannot be had: the tests that need it
 * skip themselves then.
 *
 * @param {(line: string) => void} onLine
 */
export function ensureTerminal(onLine) {
  return installMissing([{ command: "tmux", packages: ["tmux"] }], onLine);
}
