import { closeSync, copyFileSync, openSync, readSync, statSync, truncateSync } from "node:fs";
import { errno } from "@opentiger/schema";

/** Kept twice: the present one and the one before. */
const maxLogBytes = 5 * 1024 * 1024;

/** What of the end is shown in an error. */
const maxTailBytes = 4_096;

/** The server appends to this file as long as it runs, so it is emptied where it is, and the server goes on in it. */
export function boundLog(path: string, maxBytes: number = maxLogBytes): void {
  if (logSize(path) <= maxBytes) return;
  copyFileSync(path, `${path}.1`);
  truncateSync(path, 0);
}

export function logSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** What was written since the file had that size, at most the last few lines of it. */
export function logSince(path: string, start: number): string {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if (errno(error) === "ENOENT") return "";
    throw error;
  }
  try {
    const end = logSize(path);
    const from = Math.max(start > end ? 0 : start, end - maxTailBytes);
    const buffer = Buffer.alloc(end - from);
    return buffer
      .subarray(0, readSync(file, buffer, 0, buffer.length, from))
      .toString()
      .trim();
  } finally {
    closeSync(file);
  }
}
