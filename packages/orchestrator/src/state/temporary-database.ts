import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import type { Database } from "./database.ts";
import { type OpenOptions, openDatabase } from "./open-database.ts";
import { EmbeddedPostgres } from "./postgres/embedded-postgres.ts";
import { sharedDatabase } from "./shared-postgres.ts";

export interface TemporaryDatabase {
  /** Its state folder. */
  home: string;
  env: NodeJS.ProcessEnv;
  /** Another opening, as another process would have it; closed with the rest. */
  open(options?: Partial<OpenOptions>): Promise<Database>;
  /** Removes everything, with the server where it is its own. */
  remove(): Promise<void>;
}

export interface TemporaryInstance extends TemporaryDatabase {
  postgres: EmbeddedPostgres;
}

/** A new instance for a test, whose server and database are made when it is first opened. */
export function temporaryInstance(): TemporaryInstance {
  const home = newHome();
  const env = { OPENTIGER_HOME: home };
  const postgres = new EmbeddedPostgres(env);
  return { postgres, ...opener(home, env, () => postgres.remove()) };
}

/**
 * A new instance for a test to which it does not matter whose server its database is in: among the unit tests one that
 * they share, which is quicker by a second; elsewhere its own.
 */
export async function temporaryDatabase(): Promise<TemporaryDatabase> {
  const shared = inject("sharedPostgres");
  if (shared === undefined) return temporaryInstance();
  const { url, drop } = await sharedDatabase(shared);
  const home = newHome();
  return opener(home, { OPENTIGER_HOME: home, OPENTIGER_DATABASE_URL: url }, drop);
}

function newHome(): string {
  return mkdtempSync(join(tmpdir(), "ot-db-"));
}

function opener(home: string, env: NodeJS.ProcessEnv, removeData: () => Promise<void>): TemporaryDatabase {
  const opened: Database[] = [];
  return {
    home,
    env,
    open: async (options = {}) => {
      const database = await openDatabase({ env, program: "test", ...options });
      opened.push(database);
      return database;
    },
    remove: async () => {
      await Promise.all(opened.map((database) => database.close()));
      await removeData();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
