import { z } from "zod";
import { OrchestratorError } from "../errors.ts";
import { firstRow, type Queryable } from "./rows.ts";

/** The oldest PostgreSQL that is still looked after. */
const oldestVersion = 14;

const facts = z.object({ version: z.number(), encoding: z.string(), readonly: z.boolean() });

/** Refuses a server on which something of ours would fail later, in the middle of the work. */
export async function checkServer(on: Queryable, where: string): Promise<void> {
  const found = await firstRow(
    on,
    facts,
    `select current_setting('server_version_num')::int / 10000 as version,
            current_setting('server_encoding') as encoding,
            current_setting('transaction_read_only')::bool as readonly`,
  );
  if (!found) throw new OrchestratorError("internal", "the database's server does not say what it is");
  const { version, encoding, readonly } = found;
  if (version < oldestVersion) {
    throw refused(where, `is PostgreSQL ${version}`, `use PostgreSQL ${oldestVersion} or newer`);
  }
  if (encoding !== "UTF8") {
    throw refused(
      where,
      `keeps text as ${encoding}`,
      "create a database with encoding UTF8 and use that one",
    );
  }
  if (readonly) throw refused(where, "cannot be written to", "name the primary server, not a replica of it");
}

function refused(where: string, why: string, remedy: string): OrchestratorError {
  return new OrchestratorError("database_refused", `the database (${where}) ${why}`, {
    remedy: `${remedy}; see OPENTIGER_DATABASE_URL`,
  });
}
