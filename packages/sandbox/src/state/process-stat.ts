import { readFileSync } from "node:fs";
import { errno } from "@opentiger/schema";

export interface ProcessStat {
  /** In clock ticks since boot, the kernel's own words: a number that is used again has another. */
  startTime: string;
  /** It has ended, and nobody has fetched that yet. */
  hasEnded: boolean;
}

/** undefined where there is no such process, or no /proc. */
export function processStat(pid: number): ProcessStat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The program's name stands in brackets, and may contain any character.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const startTime = fields[19];
    return startTime === undefined ? undefined : { startTime, hasEnded: /^[ZX]$/.test(fields[0] ?? "") };
  } catch {
    return undefined;
  }
}

/** Of a process that lives. */
export function startTimeOf(pid: number): string | undefined {
  const stat = processStat(pid);
  return stat?.hasEnded === false ? stat.startTime : undefined;
}

/** Whether the number is in use, be it by one that has ended; known also where there is no /proc. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists and is somebody else's.
    return errno(error) === "EPERM";
  }
}
