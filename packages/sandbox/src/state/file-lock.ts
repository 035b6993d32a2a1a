import { type ChildProcessByStdio, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { type ErrorCode, errno } from "@opentiger/schema";
import { SandboxError } from "../errors.ts";

/** Longer than who holds it takes: for a database that recovers from a crash, or for git on a large repository. */
const patienceMs = 480_000;

export interface FileLockOptions {
  /** Of the error where it cannot be had. */
  code: ErrorCode;
  signal?: AbortSignal | undefined;
}

type Holder = ChildProcessByStdio<Writable, Readable, null>;

/**
 * Runs `work` while no other process does the same under this path. The kernel keeps the lock (flock) and takes it back
 * when its holder ends: the holder is a small process that ends with the pipe to us, however we end.
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  options: FileLockOptions,
): Promise<T> {
  const release = await take(path, options);
  try {
    return await work();
  } finally {
    await release();
  }
}

async function take(path: string, options: FileLockOptions): Promise<() => Promise<void>> {
  options.signal?.throwIfAborted();
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
    await held(holder, path, options);
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
async function held(holder: Holder, path: string, { code, signal }: FileLockOptions): Promise<void> {
  const settled = new AbortController();
  const unheard = { signal: settled.signal };
  try {
    await new Promise<void>((resolve, reject) => {
      AbortSignal.timeout(patienceMs).addEventListener("abort", () => reject(busy(path, code)), unheard);
      signal?.addEventListener("abort", () => reject(reasonOf(signal)), unheard);
      holder.once("error", (cause) => reject(failure(path, code, cause)));
      holder.once("close", () => reject(failure(path, code, undefined)));
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

function failure(path: string, code: ErrorCode, cause: unknown): SandboxError {
  const missing = errno(cause) === "ENOENT";
  const why = missing ? ": the command flock is missing" : "";
  return new SandboxError(code, `${path} cannot be locked${why}`, {
    remedy: missing ? "install util-linux, which has it" : `see who owns it: ls -l ${path}`,
    cause,
  });
}

function busy(path: string, code: ErrorCode): SandboxError {
  return new SandboxError(
    code,
    `another process has had the lock ${path} for more than ${patienceMs / 1_000} seconds`,
    { remedy: `see which one it is (fuser ${path}) and end it` },
  );
}
