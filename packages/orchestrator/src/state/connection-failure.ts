import { errno } from "@opentiger/schema";
import { OrchestratorError } from "../errors.ts";

/** What Node says of a server that cannot be reached, or was lost. */
const systemCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EPIPE",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

/**
 * PostgreSQL's: connection exceptions (08), servers that are starting, ending or were told to end (57P), and a connection
 * that was ended because its transaction was silent for too long (25P03).
 */
const serverCodes = /^(?:08|57P|25P03)/;

/** What the client says without any code. */
const clientWords = /connection terminated|timeout expired|query read timeout|not queryable/i;

/** Whether the server could not be reached or was lost, rather than that it refused what was asked. */
export function isConnectionLoss(error: unknown): boolean {
  const code = errno(error);
  if (code === undefined) return error instanceof Error && clientWords.test(error.message);
  return systemCodes.has(code) || serverCodes.test(code);
}

/** Whether the other end was gone before all of a statement was written: then it was not carried out. */
export function wasNotSent(error: unknown): boolean {
  return errno(error) === "EPIPE";
}

/**
 * What ends a statement that waited for another's lock, or for the disk, for too long. Nothing was done, the connection
 * is as good as before, and the same may well succeed in a moment.
 */
const delays: ReadonlySet<string> = new Set(["55P03", "57014"]);

/** What PostgreSQL has against us before it takes any statement, with what mends it. */
const refusals: Readonly<Record<string, string>> = {
  "28P01": "give OPENTIGER_DATABASE_URL the right user and password",
  "28000": "allow this user in the server's pg_hba.conf, or give OPENTIGER_DATABASE_URL another one",
  "3D000":
    "create the database (createdb NAME), or give OPENTIGER_DATABASE_URL the name of one that is there",
  "42501": "give the user the right to create a schema: grant create on database NAME to USER",
  "53300": "raise max_connections of the server, or end some of the processes that use it",
};

/** An error of ours where the server is not there, does not let us in or lets us wait for too long; what a statement did wrong stays as it is. */
export function databaseFailure(error: unknown, where: string): unknown {
  if (error instanceof OrchestratorError) return error;
  const code = errno(error) ?? "";
  const why = error instanceof Error && error.message ? error.message : code || String(error);
  if (delays.has(code)) return delayed(error, why, where);
  const refused = refusals[code];
  if (!refused && !isConnectionLoss(error) && !isTlsFailure(error)) return error;
  return new OrchestratorError("database_unavailable", `the database (${where}) cannot be used: ${why}`, {
    remedy: refused ?? `see that it runs and can be reached: ${where}`,
    cause: error,
  });
}

function delayed(cause: unknown, why: string, where: string): OrchestratorError {
  return new OrchestratorError("database_unavailable", `the database (${where}) was too slow: ${why}`, {
    remedy: "try it again; if it stays so, somebody keeps a transaction open for too long",
    cause,
  });
}

function isTlsFailure(error: unknown): boolean {
  return error instanceof Error && /certificate|SSL|TLS/.test(`${error.message} ${errno(error) ?? ""}`);
}
