import { existsSync, realpathSync } from "node:fs";
import { errno } from "@opentiger/schema";
import { Client, type ClientConfig } from "pg";
import { z } from "zod";
import { systemIdentifier } from "./data-folder.ts";
import { databaseUser } from "./initdb.ts";
import { readPassword } from "./password.ts";
import { port } from "./pid-files.ts";
import type { PostgresPlace } from "./place.ts";
import { parentOf, worksOn } from "./processes.ts";

/** What answers at the instance's socket. */
export type Probe =
  /** Our data's own server, ready. */
  | { kind: "ours"; version: string }
  /** Nobody. */
  | { kind: "absent" }
  /** A server that is starting, recovering or ending. */
  | { kind: "not yet" }
  /** A server of other data, and its number. */
  | { kind: "foreign"; data: string; pid: number | undefined }
  /** One that does not take our password, or has no room, or cannot be understood. */
  | { kind: "refusing"; cause: unknown };

/** On a private socket of this machine; a server that takes longer is as good as none. */
const answerMs = 10_000;

/** What the client says, without any code, when an answer breaks off or does not come. */
const cutOff = /terminated|timeout/i;

const identity = z.object({ system: z.string(), data: z.string(), version: z.string(), backend: z.number() });

/** How this instance's server is reached; undefined before it has a password. */
export function connectionTo(place: PostgresPlace): ClientConfig | undefined {
  const password = readPassword(place.passwordFile);
  if (password === undefined) return undefined;
  return { host: place.socketFolder, port, user: databaseUser, password, database: "postgres" };
}

/** A server counts as ours only when it has the very data that we have: that it answers at our socket proves nothing. */
export async function probe(place: PostgresPlace): Promise<Probe> {
  const connection = connectionTo(place);
  if (!connection || !existsSync(place.data)) return { kind: "absent" };
  const client = new Client({
    ...connection,
    ssl: false,
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
  });
  // An end in the middle is also told by the question that is under way.
  client.on("error", () => {});
  try {
    await client.connect();
    return judge(place, await ask(client));
  } catch (cause) {
    return failed(cause);
  } finally {
    await client.end().catch(() => {});
  }
}

async function ask(client: Client): Promise<z.infer<typeof identity>> {
  const { rows } = await client.query(
    `select system_identifier::text as system, current_setting('data_directory') as data,
            current_setting('server_version') as version, pg_backend_pid() as backend
       from pg_control_system()`,
  );
  return identity.parse(rows[0]);
}

/**
 * By what it says, and by where its process really is: a server whose folder was replaced goes on in the old one, and
 * reads its own identity from the new one.
 */
function judge(place: PostgresPlace, { system, data, version, backend }: z.infer<typeof identity>): Probe {
  const says = system === systemIdentifier(place.data) && realPath(data) === realPath(place.data);
  return says && worksOn(backend, place.data)
    ? { kind: "ours", version }
    : { kind: "foreign", data, pid: parentOf(backend) };
}

function failed(cause: unknown): Probe {
  const code = errno(cause);
  if (code === "ENOENT" || code === "ECONNREFUSED") return { kind: "absent" };
  // Starting up, ending, ended while we asked.
  if (code?.startsWith("57P") || code === "ECONNRESET" || code === "EPIPE") return { kind: "not yet" };
  if (code === undefined && cause instanceof Error && cutOff.test(cause.message)) return { kind: "not yet" };
  return { kind: "refusing", cause };
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
