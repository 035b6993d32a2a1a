import { createServer } from "node:net";
import { until } from "./processes.mjs";

/** Installing packages is the longest thing that happens under the lock. */
const LOCK_TIMEOUT_MS = 15 * 60_000;

/**
 * Runs `work` while nobody else on this machine does the same under this name. The lock is a listening socket in
 * Linux's abstract namespace: the kernel gives it to one holder and takes it back when that process ends, however it
 * ends, so there is never a stale one.
 *
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(name, work) {
  /** @type {import("node:net").Server | undefined} */
  let held;
  const taken = await until(async () => {
    held = await take(name);
    return held !== undefined;
  }, LOCK_TIMEOUT_MS);
  if (!taken) throw new Error(`another process has been working on ${name} for too long`);
  try {
    return await work();
  } finally {
    held?.close();
  }
}

/** @param {string} name @returns {Promise<import("node:net").Server | undefined>} */
function take(name) {
  return new Promise((resolve, reject) => {
    const server = createServer((connection) => connection.destroy());
    server.once("error", (/** @type {NodeJS.ErrnoException} */ error) => {
      if (error.code === "EADDRINUSE") resolve(undefined);
      else reject(error);
    });
    server.listen(`\0opentiger-${name}`, () => resolve(server));
  });
}
