import { statSync } from "node:fs";

/** Often enough that nobody looks for what is left, and next to nothing beside the looks for sockets. */
export const lookEveryMs = 2_000;

/** A state folder that is restored, or on a disk that is mounted anew, is away for a moment. */
export const looksInVain = 3;

/**
 * Says once when a file has been gone for several looks in a row. On the host a supervisor's own file lies in the state
 * folder, by its sandbox's id, from before its start until after its end: where it is gone, so is the record by which
 * anybody would ever find the supervisor. What cannot be looked at is not gone.
 */
export function whenForgotten(file: string, end: () => void): void {
  let inVain = 0;
  const timer = setInterval(() => {
    inVain = isGone(file) ? inVain + 1 : 0;
    if (inVain < looksInVain) return;
    clearInterval(timer);
    end();
  }, lookEveryMs);
}

function isGone(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}
