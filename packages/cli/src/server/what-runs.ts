import { existsSync } from "node:fs";
import {
  allRows,
  DispatcherClient,
  type DispatcherStatus,
  EmbeddedPostgres,
  openPlace,
  type PostgresStatus,
} from "@opentiger/orchestrator";
import { stateFolder } from "@opentiger/sandbox";
import { Sandboxd, type SandboxdStatus } from "@opentiger/sandboxd";
import { loopStatus } from "@opentiger/schema";
import { ServerClient, type ServerStatus } from "@opentiger/server/control";
import { z } from "zod";
import { claimerNames } from "./take-down.ts";

/** What of an instance runs now. */
export interface WhatRuns {
  server: ServerStatus | undefined;
  processes: DispatcherStatus[];
  sandboxd: SandboxdStatus | undefined;
  /** url: a database of the user's. */
  database: PostgresStatus | { state: "url"; where: string };
  /** Those that have not ended, by how they stand; undefined: the database that knows does not run. */
  loops: ServerStatus["loops"] | undefined;
}

/** Looks, and starts nothing: neither a process nor a state folder is there afterwards that was not before. */
export async function whatRuns(env: NodeJS.ProcessEnv): Promise<WhatRuns> {
  const nothing: WhatRuns = {
    server: undefined,
    processes: [],
    sandboxd: undefined,
    database: { state: "none" },
    loops: undefined,
  };
  if (!existsSync(stateFolder(env))) return nothing;
  const [server, statuses, sandboxd] = await Promise.all([
    new ServerClient(env).status(),
    Promise.all(claimerNames(env).map((name) => new DispatcherClient(env, name).status())),
    new Sandboxd(env).status(),
  ]);
  const processes = statuses.filter((status) => status !== undefined);
  const { kind, where = "" } = server?.database ?? {};
  if (kind === "url" || env["OPENTIGER_DATABASE_URL"])
    return { server, processes, sandboxd, database: { state: "url", where }, loops: server?.loops };
  const database = await new EmbeddedPostgres(env).status();
  if (server?.ready) return { server, processes, sandboxd, database, loops: server.loops };
  const readable = database.state === "running" && database.ready;
  return { server, processes, sandboxd, database, loops: readable ? await openLoops(env) : undefined };
}

const counted = z.object({ status: loopStatus, count: z.number() });

async function openLoops(env: NodeJS.ProcessEnv): Promise<ServerStatus["loops"]> {
  const place = await openPlace(env, { program: "command line" });
  try {
    const rows = await allRows(
      place.database,
      counted,
      "select status, count(*) from loops where status not in ('done', 'failed', 'cancelled') group by 1",
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  } finally {
    await place.close();
  }
}
