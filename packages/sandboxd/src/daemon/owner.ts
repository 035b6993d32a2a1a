import { processExists, startTimeOf } from "@opentiger/sandbox";

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
  if (!processExists(pid)) return false;
  return startTime === null || startTimeOf(pid) === startTime;
}
