import { mkdir, rmdir, stat, utimes } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { errno } from "@opentiger/schema";

/** One who holds it says so every few seconds; one who has not for this long is dead. */
const staleMs = 10_000;
const signOfLifeMs = 3_000;
const pauseMs = 100;

/** Longer than the CLI takes to renew its login. */
const patienceMs = 15_000;

/**
 * The lock that Claude Code itself takes while it renews its login: a folder that exists as long as it is held. Taken
 * over from one who died. Returns what gives it back.
 */
export async function lockFolder(path: string): Promise<() => Promise<void>> {
  const deadline = performance.now() + patienceMs;
  while (!(await taken(path))) {
    if (await isStale(path)) await rmdir(path).catch(() => {});
    else if (performance.now() > deadline) throw new Error(`${path} is held by another process`);
    else await sleep(pauseMs);
  }
  const alive = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, signOfLifeMs);
  return async () => {
    clearInterval(alive);
    await rmdir(path).catch(() => {});
  };
}

async function taken(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (errno(error) === "EEXIST") return false;
    throw error;
  }
}

async function isStale(path: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(path)).mtimeMs > staleMs;
  } catch {
    return false;
  }
}
