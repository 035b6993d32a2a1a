import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "./database.ts";
import { type OpenOptions, openDatabase } from "./open-database.ts";
import { EmbeddedPostgres } from "./postgres/embedded-postgres.ts";

export interface TemporaryInstance {
  /** Its state folder. */
  home: string;
  env: NodeJS.ProcessEnv;
  postgres: EmbeddedPostgres;
  /** Another opening, as another process would have it; closed with the rest. */
  open(options?: Partial<OpenOptions>): Promise<Database>;
  /** Stops the server and removes everything. */
  remove(): Promise<void>;
}

/** A new instance for a test, whose database is made when it is first opened. */
export function temporaryInstance(): TemporaryInstance {
  const home = mkdtempSync(join(tmpdir(), "ot-db-"));
  const env = { OPENTIGER_HOME: home };
  const postgres = new EmbeddedPostgres(env);
  const opened: Database[] = [];
  return {
    home,
    env,
    postgres,
    open: async (options = {}) => {
      const database = await openDatabase({ env, program: "test", ...options });
      opened.push(database);
      return database;
    },
    remove: async () => {
      await Promise.all(opened.map((database) => database.close()));
      await postgres.remove();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
