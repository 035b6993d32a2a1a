import { randomBytes } from "node:crypto";
import type { Client } from "pg";
import { asQueryable, connect } from "./database.ts";
import { migrate } from "./migrations/migrate.ts";
import { EmbeddedPostgres } from "./postgres/embedded-postgres.ts";
import { migrationSettings } from "./session-settings.ts";

export interface SharedDatabase {
  /** As OPENTIGER_DATABASE_URL has it. */
  url: string;
  drop(): Promise<void>;
}

/** The database with all tables and no rows, of which the others are copies. */
const pattern = "pattern";

/** Any number: of the processes that come first at the same time one makes the pattern. */
const advisoryLock = 1;

/** Nothing of it has to outlive a crash of the machine. Reloaded, since the server of an instance is started without them. */
const hasty = ["alter system set fsync = off", "alter system set full_page_writes = off"];

const servers = new Map<string, Promise<EmbeddedPostgres>>();

/**
 * A database of its own for a test, in the PostgreSQL of this state folder, which is made by whoever comes first. Copying
 * the tables takes a small part of the time that a server of one's own takes.
 */
export async function sharedDatabase(home: string): Promise<SharedDatabase> {
  const server = servers.get(home) ?? start(home);
  servers.set(home, server);
  const postgres = await server;
  const name = `test_${randomBytes(8).toString("hex")}`;
  await asked(postgres, (admin) => admin.query(`create database ${name} template ${pattern}`));
  const { host, port, user, password } = postgres.connection;
  return {
    url: `postgres://${user}:${password}@/${name}?host=${host}&port=${port}`,
    drop: () =>
      asked(postgres, async (admin) => void (await admin.query(`drop database ${name} with (force)`))),
  };
}

async function start(home: string): Promise<EmbeddedPostgres> {
  const postgres = new EmbeddedPostgres({ OPENTIGER_HOME: home });
  await postgres.ensure();
  await asked(postgres, async (admin) => {
    await admin.query("select pg_advisory_lock($1)", [advisoryLock]);
    const { rowCount } = await admin.query("select 1 from pg_database where datname = $1", [pattern]);
    if (rowCount === 0) await makePattern(postgres, admin);
  });
  return postgres;
}

/** Under another name until all of it is there. */
async function makePattern(postgres: EmbeddedPostgres, admin: Client): Promise<void> {
  for (const setting of hasty) await admin.query(setting);
  await admin.query("select pg_reload_conf()");
  await admin.query("create database unfinished");
  const unfinished = { ...migrationSettings("test"), ...postgres.connection, database: "unfinished" };
  const inside = await connect({ ...unfinished, ssl: false });
  await migrate({ borrow: (use) => use(asQueryable(inside)) }).finally(() => inside.end());
  await admin.query(`alter database unfinished rename to ${pattern}`);
}

async function asked<T>(postgres: EmbeddedPostgres, ask: (admin: Client) => Promise<T>): Promise<T> {
  const admin = await connect({ ...postgres.connection, ssl: false });
  try {
    return await ask(admin);
  } finally {
    await admin.end();
  }
}
