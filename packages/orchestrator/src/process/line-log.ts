import { writeSync } from "node:fs";

const stdout = 1;

/**
 * Writes at once, so that the last line before an end is there. What cannot be written is dropped: neither a full disk
 * nor a reader that went away ends the process.
 */
export function logLine(line: string): void {
  const written = JSON.stringify({ time: new Date().toISOString(), pid: process.pid, message: line });
  try {
    writeSync(stdout, `${written}\n`);
  } catch {
    // Nobody is there to be told.
  }
}
