import { readFileSync, writeFileSync } from "node:fs";

const path = "/proc/self/oom_score_adj";

/** Commands are the kernel's first choice when memory runs out. */
const commandScore = "1000";

/**
 * Runs `start`, which must fork synchronously, with the score that its child shall inherit, then takes the own one
 * back: raising and returning needs no capability. Where the score cannot be changed the command starts all the same.
 */
export function withCommandOomScore<T>(start: () => T): T {
  const own = exchange(commandScore);
  try {
    return start();
  } finally {
    if (own !== undefined) exchange(own);
  }
}

function exchange(score: string): string | undefined {
  try {
    const before = readFileSync(path, "utf8").trim();
    writeFileSync(path, score);
    return before;
  } catch {
    return undefined;
  }
}
