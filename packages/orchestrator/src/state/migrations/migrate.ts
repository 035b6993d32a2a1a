import { opentigerVersion } from "@opentiger/schema";
import { z } from "zod";
import { OrchestratorError } from "../../errors.ts";
import { migrationLock } from "../locks.ts";
import { allRows, firstRow, type Queryable } from "../rows.ts";
import { schemaName } from "../session-settings.ts";
import { type Lender, withTransaction } from "../transaction.ts";
import { checksum, type Migration } from "./migration.ts";
import { migrations } from "./migrations.ts";

const applied = z.object({
  version: z.number().int(),
  name: z.string(),
  checksum: z.string(),
  program: z.string(),
});
type Applied = z.infer<typeof applied>;

/**
 * Brings the database to this program's version, all steps in one transaction. Of many processes that start at the
 * same time one does it and the others wait. A database that a newer program has changed is refused, and left as it is.
 * Says how many steps were made.
 */
export async function migrate(lender: Lender, steps: readonly Migration[] = migrations): Promise<number> {
  const before = await lender.borrow((connection) => appliedSteps(connection));
  if (missingSteps(before, steps).length === 0) return 0;
  return withTransaction(lender, async (connection) => {
    await connection.query("select pg_advisory_xact_lock($1)", [migrationLock]);
    await prepare(connection);
    const missing = missingSteps(await appliedSteps(connection), steps);
    for (const step of missing) {
      await connection.query(step.sql);
      await connection.query(
        "insert into migrations (version, name, checksum, program) values ($1, $2, $3, $4)",
        [step.version, step.name, checksum(step), opentigerVersion],
      );
    }
    return missing.length;
  });
}

/** Why this program must not go on with a database that it has opened: a newer one has changed it. undefined: it may. */
export async function outdatedBy(
  on: Queryable,
  steps: readonly Migration[] = migrations,
): Promise<string | undefined> {
  const newest = (await appliedSteps(on)).at(-1);
  return newest && isNewer(newest, steps) ? tooNew(newest).message : undefined;
}

/** Those of the table; none where there is no table yet. */
async function appliedSteps(on: Queryable): Promise<Applied[]> {
  const there = await firstRow(
    on,
    z.object({ there: z.boolean() }),
    "select to_regclass($1) is not null as there",
    [`${schemaName}.migrations`],
  );
  if (!there?.there) return [];
  return allRows(on, applied, "select version, name, checksum, program from migrations order by version");
}

/**
 * `create schema if not exists` looks into what its connection remembers, which may be older than the lock that was just
 * waited for. A look into the table itself is not, and brings what is remembered up to date as well.
 */
async function prepare(on: Queryable): Promise<void> {
  const found = await on.query("select 1 from pg_namespace where nspname = $1", [schemaName]);
  if (found.count === 0) await on.query(`create schema ${schemaName}`);
  await on.query(
    `create table if not exists migrations (
       version int primary key,
       name text not null,
       checksum text not null,
       program text not null,
       applied_at timestamptz not null default now()
     )`,
  );
}

/** What is left to do after these. They must be the first of ours, unchanged. */
function missingSteps(done: readonly Applied[], steps: readonly Migration[]): readonly Migration[] {
  const newest = done.at(-1);
  if (newest && isNewer(newest, steps)) throw tooNew(newest);
  for (const [index, step] of done.entries()) {
    const own = steps[index];
    if (own?.version !== step.version || checksum(own) !== step.checksum) throw altered(step);
  }
  return steps.slice(done.length);
}

function isNewer({ version }: Applied, steps: readonly Migration[]): boolean {
  return version > (steps.at(-1)?.version ?? 0);
}

function tooNew({ version, name, program }: Applied): OrchestratorError {
  return new OrchestratorError(
    "database_newer",
    `the database was changed by openTiger ${program} (step ${version}, ${name}), and this is ${opentigerVersion}, which does not know that step`,
    { remedy: `use openTiger ${program} or newer; the data are as they were` },
  );
}

function altered({ version, name, program }: Applied): OrchestratorError {
  return new OrchestratorError(
    "database_altered",
    `step ${version} (${name}), which openTiger ${program} made in the database, is not the one that this program knows`,
    { remedy: `use a released openTiger, ${program} or newer; the data are as they were` },
  );
}
