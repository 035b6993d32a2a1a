import { readFileSync } from "node:fs";

/** An id for this start of the supervisor. The kernel makes one in no time; to load Node's is a tenth of the start. */
export function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/uuid", "utf8").trim();
  } catch {
    return crypto.randomUUID();
  }
}
