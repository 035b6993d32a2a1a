import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errno } from "@opentiger/schema";
import type { PostgresPlace } from "./place.ts";
import { exists, processesOn, worksOn } from "./processes.ts";

/** PostgreSQL names its socket by a port, although it listens on none. */
export const port = 5432;

/** In `postmaster.pid`, counted from 0. */
const statusLine = 7;

/** What clients look for; its lock lies beside it. */
export function socketPath({ socketFolder }: Pick<PostgresPlace, "socketFolder">): string {
  return join(socketFolder, `.s.PGSQL.${port}`);
}

/** The number of the server that works on these data right now; undefined where none does. */
export function livePostmaster({ data }: Pick<PostgresPlace, "data">): number | undefined {
  const pid = readPid(join(data, "postmaster.pid"));
  return typeof pid === "number" && worksOn(pid, data) ? pid : undefined;
}

/** Whether the server of these data says that it takes connections, which it does only after its socket is there. */
export function saysReady({ data }: Pick<PostgresPlace, "data">): boolean {
  const lines = readIfThere(join(data, "postmaster.pid"))?.split("\n") ?? [];
  return lines[statusLine]?.trim() === "ready";
}

/**
 * Removes what PostgreSQL would wrongly respect when it starts: files that name a number which another process has by
 * now, or none at all. Only where nothing works on the data: a server killed a moment ago may have left processes
 * that still do, and PostgreSQL finds those by the very same file. A number that nobody has is left to PostgreSQL. The
 * caller holds the instance's lock.
 */
export function removeStaleFiles(place: Pick<PostgresPlace, "data" | "socketFolder">): void {
  if (processesOn(place.data).length > 0) return;
  for (const file of [join(place.data, "postmaster.pid"), `${socketPath(place)}.lock`]) {
    const pid = readPid(file);
    if (pid === "garbage" || (pid !== undefined && exists(pid))) rmSync(file, { force: true });
  }
}

/** The first line of the file; undefined where there is no file. */
function readPid(path: string): number | "garbage" | undefined {
  const text = readIfThere(path);
  if (text === undefined) return undefined;
  const [first = ""] = text.split("\n");
  return /^-?\d{1,10}$/.test(first.trim()) ? Math.abs(Number(first)) : "garbage";
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errno(error) === "ENOENT") return undefined;
    throw error;
  }
}
