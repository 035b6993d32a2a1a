import { readFileSync } from "node:fs";
import { errno } from "@opentiger/schema";

/** A process that something belongs to, recognised although the kernel may use its number again for another. */
export interface Owner {
  pid: number;
  /** In the kernel's own words; null where there is no /proc. */
  startTime: string | null;
}

export function ownerOf(pid: number): Owner {
  return { pid, startTime: startTimeOf(pid) ?? null };
}

export function ownerLives({ pid, startTime }: Owner): boolean {
  if (!exists(pid)) return false;
  return startTime === null || startTimeOf(pid) === startTime;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists and is somebody else's.
    return errno(error) === "EPERM";
  }
}

/** In clock ticks since boot. One that has ended and that nobody has fetched yet is none. */
function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
