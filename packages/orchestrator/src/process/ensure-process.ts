import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { opentigerVersion } from "@opentiger/schema";
import { logSince, logSize } from "../state/postgres/log-file.ts";
import type { ProcessClient, ProcessStatus } from "./process-client.ts";

export interface EnsuredProcess<Status extends ProcessStatus> {
  client: ProcessClient<Status>;
  log: string;
  /** Starts one, detached. */
  start(): ChildProcess;
  /** What to say of one that did not start, by what it wrote. */
  complaint(said: string): Error;
  /** Told how it is until it is ready. */
  onStatus?: ((status: Status) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** A database that recovers from a crash makes it wait; a loaded machine takes seconds to start node. */
const startTimeoutMs = 60_000;
const lookMs = 25;

/** Of processes that somebody killed before they were ready. */
const mostStarts = 3;

/**
 * Returns when such a process runs and is ready: the one that is there, else a new one, which goes on when we end. One of
 * another version is replaced, and one that was killed while it started is followed by another. Says whether it was started
 * by us.
 */
export async function ensureProcess<Status extends ProcessStatus>(
  ensured: EnsuredProcess<Status>,
): Promise<{ status: Status; started: boolean }> {
  const { client, log, onStatus, signal } = ensured;
  const end = performance.now() + startTimeoutMs;
  let before = 0;
  let child: ChildProcess | undefined;
  let starts = 0;
  while (performance.now() < end) {
    signal?.throwIfAborted();
    const found = await client.status();
    if (found?.ready && found.version === opentigerVersion)
      return { status: found, started: found.pid === child?.pid };
    if (found && found.version !== opentigerVersion) await client.stop();
    else if (found) onStatus?.(found);
    else {
      const isKilled = child !== undefined && child.signalCode !== null;
      if (child?.exitCode || (isKilled && starts >= mostStarts)) break;
      if (!child || isKilled || child.exitCode === 0) {
        before = logSize(log);
        child = ensured.start();
        starts += 1;
      }
    }
    await sleep(lookMs);
  }
  throw ensured.complaint(logSince(log, before));
}
