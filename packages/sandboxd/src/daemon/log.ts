import { writeSync } from "node:fs";

export type Level = "info" | "warn" | "error";

/** One line of JSON an event. */
export type Log = (level: Level, message: string, fields?: Readonly<Record<string, unknown>>) => void;

const stdout = 1;

/**
 * Writes at once, so that the last line before an end is there. What cannot be written is dropped: a daemon that waits for
 * room on a full disk would be one more thing that a full disk stops.
 */
export const lineLog: Log = (level, message, fields = {}) => {
  const line = JSON.stringify({
    time: new Date().toISOString(),
    level,
    pid: process.pid,
    ...fields,
    message,
  });
  try {
    writeSync(stdout, `${line}\n`);
  } catch {
    // The disk is full, or nobody reads.
  }
};
