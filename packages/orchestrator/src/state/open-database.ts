import { databaseFailure, isConnectionLoss } from "./connection-failure.ts";
import { asQueryable, connect, Database, type DatabaseRoute } from "./database.ts";
import { databaseUrl } from "./database-url.ts";
import { migrate } from "./migrations/migrate.ts";
import type { NotificationSettings } from "./notifications.ts";
import { EmbeddedPostgres, type EnsureOptions } from "./postgres/embedded-postgres.ts";
import { checkServer } from "./server-check.ts";
import { migrationSettings, workSettings } from "./session-settings.ts";

export interface OpenOptions extends EnsureOptions {
  env?: NodeJS.ProcessEnv;
  /** Who it is, for whoever looks at the server's connections. */
  program: string;
  notifications?: NotificationSettings;
}

/** An embedded server that is killed so often while it is being opened is killed by somebody. */
const maxTries = 3;

/**
 * The state of this instance: the database that `OPENTIGER_DATABASE_URL` names, else the embedded one, which is started
 * where it does not run. Its tables are those of this program when this returns.
 */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  const { env = process.env, program, notifications, signal } = options;
  const url = databaseUrl(env);
  const route = url ? urlRoute(url) : await embeddedRoute(env, options);
  for (let tries = 1; ; tries++) {
    try {
      await bringUpToDate(route, program);
      return new Database(
        { ...route, connection: { ...workSettings(program), ...route.connection } },
        notifications,
      );
    } catch (error) {
      if (tries >= maxTries || !route.revive || !isConnectionLoss(error))
        throw databaseFailure(error, route.where);
      await route.revive(signal);
    }
  }
}

function urlRoute({ url, where }: { url: string; where: string }): DatabaseRoute {
  return { kind: "url", where, connection: { connectionString: url } };
}

async function embeddedRoute(env: NodeJS.ProcessEnv, { signal, say }: EnsureOptions): Promise<DatabaseRoute> {
  const postgres = new EmbeddedPostgres(env);
  await postgres.ensure({ signal, say });
  return {
    kind: "embedded",
    where: postgres.place.data,
    // Nothing of the caller's PGSSLMODE and the like.
    connection: { ...postgres.connection, ssl: false },
    revive: (until) => postgres.ensure({ signal: until, say }),
    tend: () => postgres.boundLog(),
  };
}

/** What is done twice, because the connection was lost in the middle, is done once. */
async function bringUpToDate({ connection, where }: DatabaseRoute, program: string): Promise<void> {
  const client = await connect({ ...migrationSettings(program), ...connection });
  try {
    const queryable = asQueryable(client);
    await checkServer(queryable, where);
    await migrate({ borrow: (use) => use(queryable) });
  } finally {
    await client.end().catch(() => {});
  }
}
