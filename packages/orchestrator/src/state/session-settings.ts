import { type ClientConfig, type CustomTypesConfig, types } from "pg";

/** The schema in which all our tables are: a database that is shared with others keeps theirs apart. */
export const schemaName = "opentiger";

/** What makes plain names mean our tables. */
export const searchPath = `-c search_path=${schemaName}`;

/** A connection that takes longer is not worth waiting for; a server that is starting is waited for elsewhere. */
const connectMs = 10_000;

/** No statement of ours works for so long: it waits for a lock, or is wrong. */
const statementMs = 30_000;
const lockMs = 15_000;

/**
 * A process that stopped in the middle of a transaction keeps everybody else from what it has locked. Between two
 * statements ours only think, so one that is silent for so long has stopped; and who waits for its lock is more patient.
 */
const idleInTransactionMs = 10_000;

/** The server ends a statement that takes too long; when it does not, it is not there any more. */
const answerMs = statementMs + 10_000;

/** Migrations of a large table take their time, and wait for each other. */
const migrationLockMs = 300_000;

/** For the connections with which a process works. */
export function workSettings(program: string): ClientConfig {
  return {
    ...sharedSettings(program),
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    query_timeout: answerMs,
  };
}

/** For the one connection that brings the tables to this program's version. */
export function migrationSettings(program: string): ClientConfig {
  return { ...sharedSettings(program), lock_timeout: migrationLockMs };
}

function sharedSettings(program: string): ClientConfig {
  return {
    application_name: `opentiger ${program}`,
    options: searchPath,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    client_encoding: "UTF8",
    types: columnTypes,
  };
}

/** Counts and sequence numbers are numbers; one that a number cannot hold exactly is an error, never rounded. */
const columnTypes: CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === types.builtins.INT8 && format !== "binary" ? exactNumber : types.getTypeParser(oid, format),
};

function exactNumber(written: string): number {
  const value = Number(written);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`${written} is larger than a number can hold`);
}
