import { type ChildProcessByStdio, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { errno, OrchestratorError } from "../../errors.ts";

/** Longer than who holds it has patience with a server that recovers from a crash. */
const patienceMs = 480_000;

type Holder = ChildProcessByStdio<Writable, Readable, null>;

/**
 * Runs `work` while no other process does the same under this path. The kernel keeps the lock (flock) and takes it back
 * when its holder ends: the holder is a small process that ends with the pipe to us, however we end.
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const release = await take(path, signal);
  try {
    return await work();
  } finally {
    await release();
  }
}

async function take(path: string, signal: AbortSignal | undefined): Promise<() => Promise<void>> {
  signal?.throwIfAborted();
  // Whoever can read the file could take the lock, and keep it.
  closeSync(openSync(path, "a", 0o600));
  // In a session of its own: a Ctrl-C for us does not take the lock away while we still finish.
  const holder = spawn("flock", [path, "cat"], {
    stdio: ["pipe", "pipe", "ignore"],
    detached: true,
    cwd: "/",
  });
  const ended = new Promise<void>((resolve) => {
    holder.once("close", () => resolve());
  });
  holder.stdin.on("error", () => {});
  try {
    await held(holder, path, signal);
  } catch (error) {
    holder.kill("SIGKILL");
    holder.stdin.destroy();
    throw error;
  }
  return () => {
    holder.stdin.end();
    return ended;
  };
}

/** What is written to it comes back as soon as it runs, and it runs as soon as it has the lock. */
async function held(holder: Holder, path: string, signal: AbortSignal | undefined): Promise<void> {
  const settled = new AbortController();
  const unheard = { signal: settled.signal };
  try {
    await new Promise<void>((resolve, reject) => {
      AbortSignal.timeout(patienceMs).addEventListener("abort", () => reject(busy(path)), unheard);
      signal?.addEventListener("abort", () => reject(reasonOf(signal)), unheard);
      holder.once("error", (cause) => reject(failure(path, cause)));
      holder.once("close", () => reject(failure(path, undefined)));
      holder.stdout.once("data", () => resolve());
      holder.stdin.write("\n");
    });
  } finally {
    settled.abort();
  }
}

/** Whatever the caller gave as one; of no known type. */
function reasonOf(signal: AbortSignal): unknown {
  return signal.reason;
}

function failure(path: string, cause: unknown): OrchestratorError {
  const missing = errno(cause) === "ENOENT";
  const why = missing ? "the command flock is missing" : `${path} cannot be locked`;
  return new OrchestratorError("database_unavailable", `the database cannot be started: ${why}`, {
    remedy: missing ? "install util-linux, or set OPENTIGER_DATABASE_URL" : `see who owns it: ls -l ${path}`,
    cause,
  });
}

function busy(path: string): OrchestratorError {
  return new OrchestratorError(
    "database_unavailable",
    `another process has been starting the database for more than ${patienceMs / 1_000} seconds`,
    { remedy: `see which one holds ${path} (fuser ${path}) and end it` },
  );
}
