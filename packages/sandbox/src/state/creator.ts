import { readFileSync } from "node:fs";
import type { SandboxRecord } from "@opentiger/schema";
import { SandboxError } from "../errors.ts";
import { processExists, processStat } from "./process-stat.ts";

/** The kernel counts start times in hundredths of a second on every platform Node runs on. */
const ticksPerSecond = 100;

/** A clock that was set a little in between must not make a living creator look dead. */
const clockSlackMs = 5_000;

/** Whether the process that is making this sandbox still lives: not merely another one under the same number. */
export function creatorLives(record: Pick<SandboxRecord, "creatorPid" | "createdAt">): boolean {
  if (!processExists(record.creatorPid)) return false;
  const found = statOf(record.creatorPid);
  if (found === undefined) return true;
  return !found.hasEnded && found.startedAt <= Date.parse(record.createdAt) + clockSlackMs;
}

/** Somebody who lives is making it, and nobody else may use or remove it before that is over. */
export function unfinished({ name, creatorPid }: { name: string; creatorPid: number | null }): SandboxError {
  return new SandboxError("sandbox_unfinished", `${name} is still being made, by process ${creatorPid}`, {
    remedy: `wait until that is finished, or end that process: kill -9 ${creatorPid}`,
  });
}

/** When it started, in milliseconds since the epoch; undefined where there is no /proc. A zombie has ended. */
function statOf(pid: number): { startedAt: number; hasEnded: boolean } | undefined {
  const stat = processStat(pid);
  const boot = bootTime();
  if (stat === undefined || boot === undefined) return undefined;
  const startedAt = (boot + Number(stat.startTime) / ticksPerSecond) * 1000;
  return { startedAt, hasEnded: stat.hasEnded };
}

/** In seconds since the epoch. */
function bootTime(): number | undefined {
  try {
    const [, seconds] = /^btime (\d+)$/m.exec(readFileSync("/proc/stat", "utf8")) ?? [];
    return seconds === undefined ? undefined : Number(seconds);
  } catch {
    return undefined;
  }
}
