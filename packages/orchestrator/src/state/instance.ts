import { z } from "zod";
import { OrchestratorError } from "../errors.ts";
import { oneRow, type Queryable } from "./rows.ts";

export interface Owner {
  /** The id in the state folder. */
  instance: string;
  folder: string;
}

/**
 * Writes down whose this database is, by whoever comes first. Repositories, journals and sandboxes that its rows speak of lie
 * in one state folder: with another one on the same queue each would find half of them missing. A state folder that
 * was moved, or restored elsewhere, has its id with it. Throws `database_refused` for any other.
 */
export async function claimDatabase(
  on: Queryable,
  { instance, folder }: Owner,
  where: string,
): Promise<void> {
  await on.query(
    `insert into instance (id, folder) values ($1, $2)
     on conflict (single) do update set folder = excluded.folder
     where instance.id = excluded.id and instance.folder <> excluded.folder`,
    [instance, folder],
  );
  const owner = await oneRow(
    on,
    z.object({ instance: z.string(), folder: z.string() }),
    "select id as instance, folder from instance",
  );
  if (owner.instance !== instance) throw foreign(owner, where);
}

/** Lets it be the next one's, where this instance is about to be gone. */
export async function releaseDatabase(on: Queryable, instance: string): Promise<void> {
  await on.query("delete from instance where id = $1", [instance]);
}

function foreign({ folder }: Owner, where: string): OrchestratorError {
  return new OrchestratorError(
    "database_refused",
    `the database at ${where} is that of another instance, whose state folder is ${folder}: its repositories and journals are there`,
    {
      remedy:
        `set OPENTIGER_HOME=${folder}, or OPENTIGER_DATABASE_URL to a database of its own; ` +
        "to move an instance, take its state folder along (opentiger backup, opentiger restore); " +
        "where that is gone for good: psql -c 'delete from opentiger.instance'",
    },
  );
}
