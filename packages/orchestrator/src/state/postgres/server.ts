import { closeSync, existsSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { errno } from "@opentiger/schema";
import { OrchestratorError } from "../../errors.ts";
import { boundLog, logSince, logSize } from "./log-file.ts";
import { livePostmaster, removeStaleFiles, saysReady, socketPath } from "./pid-files.ts";
import type { PostgresPlace } from "./place.ts";
import { type Probe, probe } from "./probe.ts";
import { type Program, startProgram } from "./program.ts";
import { endOrphans, stopServer } from "./stop.ts";

/** Recovery after a crash reads what was written since the last checkpoint, and may have to read a lot. */
const startTimeoutMs = 300_000;

/** The processes of a killed server notice within moments that it is dead; until then the next one is refused. */
const retryTimeoutMs = 30_000;
const pauseMs = 30;

/** What a server says that came while an earlier one was still going. */
const comesTooEarly =
  /lock file ".*" already exists|lock file ".*" is empty|pre-existing shared memory block/;

const settings = {
  // Only the socket, in a folder that nobody else enters.
  listen_addresses: "",
  unix_socket_permissions: "0700",
  // A few processes with a pool each.
  max_connections: "200",
  // systemd removes the shared memory of a user who logs out; files stay.
  dynamic_shared_memory_type: "mmap",
  // A line for every statement that failed would hold what the statement said.
  log_min_error_statement: "panic",
  log_checkpoints: "off",
  log_timezone: "UTC",
  timezone: "UTC",
} as const;

/**
 * Returns when the instance's server runs and is ready: the one that is there, or else a new one. One that was killed a
 * moment ago is waited for. The caller holds the instance's lock, so that nobody else starts one.
 */
export async function ensureServer(
  place: PostgresPlace,
  program: Program,
  signal: AbortSignal | undefined,
): Promise<void> {
  const retryUntil = performance.now() + retryTimeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    if (await adopted(place, signal)) return;
    await endOrphans(place);
    removeStaleFiles(place);
    const ended = await started(place, program, signal);
    if (!ended) return;
    const again = ended.killed || comesTooEarly.test(ended.said);
    if (!again || performance.now() > retryUntil) throw notStarted(place, ended.said);
    await sleep(pauseMs);
  }
}

/** Whether a server of ours is ready. One that nobody can reach any more, because its socket was removed, is stopped. */
async function adopted(place: PostgresPlace, signal: AbortSignal | undefined): Promise<boolean> {
  const until = performance.now() + startTimeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    const found = await probe(place);
    if (found.kind === "ours") return true;
    refuseOthers(place, found);
    const pid = livePostmaster(place);
    if (pid === undefined) return false;
    if (found.kind === "absent" && saysReady(place) && !existsSync(socketPath(place)))
      await stopServer(place, "fast");
    if (performance.now() > until) throw notStarted(place, `the server ${pid} does not get ready`);
    await sleep(pauseMs);
  }
}

/** How a server ended that never got ready. */
interface Ended {
  said: string;
  /** By somebody from outside, which says nothing about the next one. */
  killed: boolean;
}

/** undefined when it is ready. */
async function started(
  place: PostgresPlace,
  program: Program,
  signal: AbortSignal | undefined,
): Promise<Ended | undefined> {
  boundLog(place.log);
  const before = logSize(place.log);
  const log = openSync(place.log, "a", 0o600);
  const words = ["-D", place.data, "-k", place.socketFolder];
  for (const [name, value] of Object.entries(settings)) words.push("-c", `${name}=${value}`);
  // In a session of its own, so that a Ctrl-C does not reach it, and to a file that outlives us.
  const child = startProgram(program, "postgres", words, { stdio: ["ignore", log, log], detached: true });
  closeSync(log);
  let ended: Ended | undefined;
  child.once("error", ({ message }) => {
    ended = { said: message, killed: false };
  });
  child.once("exit", (code, killedBy) => {
    const said = logSince(place.log, before) || `it ended with ${code ?? killedBy}`;
    ended = { said, killed: killedBy === "SIGKILL" };
  });
  child.unref();
  const until = performance.now() + startTimeoutMs;
  for (;;) {
    if (ended) return ended;
    const found = await probe(place);
    if (found.kind === "ours") return undefined;
    refuseOthers(place, found);
    signal?.throwIfAborted();
    if (performance.now() > until) throw notStarted(place, "it does not get ready");
    await sleep(pauseMs);
  }
}

function refuseOthers(place: PostgresPlace, found: Probe): void {
  if (found.kind === "foreign") {
    throw new OrchestratorError(
      "database_unavailable",
      `the server at ${socketPath(place)} (${found.pid}) says that it has ${found.data}, and does not work on ${place.data}`,
      { remedy: `end it and try again: kill -INT ${found.pid}` },
    );
  }
  if (found.kind !== "refusing") return;
  const full = errno(found.cause) === "53300";
  throw new OrchestratorError(
    "database_unavailable",
    `the database in ${place.data} does not let us in: ${reason(found.cause)}`,
    {
      remedy: full
        ? "end some of the openTiger processes that use it"
        : `put ${place.passwordFile} back as it was, or move ${place.data} away to begin anew`,
      cause: found.cause,
    },
  );
}

function notStarted(place: PostgresPlace, said: string): OrchestratorError {
  return new OrchestratorError("database_unavailable", `PostgreSQL did not start: ${said}`, {
    remedy: `mend what it says (more is in ${place.log}), or set OPENTIGER_DATABASE_URL`,
  });
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
