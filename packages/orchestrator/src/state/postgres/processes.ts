import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { basename } from "node:path";
import { errno } from "@opentiger/schema";

/**
 * Whether this process is a PostgreSQL that works on these data: each of its processes has the data folder as its
 * working directory. A number that another process has now, a zombie, and a server of other data are none.
 */
export function worksOn(pid: number, data: string): boolean {
  try {
    const there = statSync(`/proc/${pid}/cwd`);
    const wanted = statSync(data);
    if (there.dev !== wanted.dev || there.ino !== wanted.ino) return false;
    // A program that was replaced since is called "postgres (deleted)".
    return basename(readlinkSync(`/proc/${pid}/exe`)).split(" ")[0] === "postgres";
  } catch {
    return false;
  }
}

/** All processes of PostgreSQL that work on these data, also those whose server is dead already. */
export function processesOn(data: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && worksOn(pid, data));
}

/** Whether the kernel knows this number at all; PostgreSQL looks no further. */
export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists and is somebody else's.
    return errno(error) === "EPERM";
  }
}

/** undefined where the process is not there, or not to be seen. */
export function parentOf(pid: number): number | undefined {
  try {
    const found = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return found ? Number(found[1]) : undefined;
  } catch {
    return undefined;
  }
}
