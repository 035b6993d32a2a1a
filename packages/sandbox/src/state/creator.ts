import { readFileSync } from "node:fs";
import type { SandboxRecord } from "@opentiger/schema";

/** The kernel counts start times in hundredths of a second on every platform Node runs on. */
const ticksPerSecond = 100;

/** A clock that was set a little in between must not make a living creator look dead. */
const clockSlackMs = 5_000;

/** Whether the process that is making this sandbox still lives: not merely another one under the same number. */
export function creatorLives(record: Pick<SandboxRecord, "creatorPid" | "createdAt">): boolean {
  if (!processExists(record.creatorPid)) return false;
  const started = startOf(record.creatorPid);
  return started === undefined || started <= Date.parse(record.createdAt) + clockSlackMs;
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists and is somebody else's.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** In milliseconds since the epoch; undefined where there is no /proc. */
function startOf(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    const boot = /^btime (\d+)$/m.exec(readFileSync("/proc/stat", "utf8"))?.[1];
    const ticks = fields[19];
    if (boot === undefined || ticks === undefined) return undefined;
    return (Number(boot) + Number(ticks) / ticksPerSecond) * 1000;
  } catch {
    return undefined;
  }
}
