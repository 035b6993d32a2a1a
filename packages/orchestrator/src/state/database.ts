import { Client, type ClientConfig, Pool, type PoolClient, type QueryResult } from "pg";
import { OrchestratorError } from "../errors.ts";
import { databaseFailure, isConnectionLoss, wasNotSent } from "./connection-failure.ts";
import { type NotificationSettings, Notifications } from "./notifications.ts";
import type { Answer, Queryable } from "./rows.ts";
import { SessionLocks } from "./session-locks.ts";
import { storableParameter } from "./storable.ts";
import { type Lender, withTransaction } from "./transaction.ts";

/** How a database is reached, and what to do when it is not there any more. */
export interface DatabaseRoute {
  readonly kind: "embedded" | "url";
  /** For people: without user and password. */
  readonly where: string;
  readonly connection: ClientConfig;
  /** Starts it again. Absent where it is not ours to start. */
  readonly revive?: (signal: AbortSignal | undefined) => Promise<void>;
  /** What has to be done from time to time. */
  readonly tend?: () => void;
}

/** A few statements at the same time; a process waits for models and containers, not for these. */
const maxConnections = 8;

/** A burst is over by then. */
const idleMs = 30_000;

/** A log does not grow by much meanwhile. */
const tendEveryMs = 600_000;

/** Killed while it was being revived, it is revived once more; then somebody should look. */
const maxRevivals = 3;

/**
 * The state of an instance, for one process. A connection that is lost is made again for the next statement, and the
 * embedded server is started again where it was killed. A statement that was under way then fails: nobody but the
 * caller can say whether it may be sent twice.
 */
export class Database implements Queryable, Lender {
  readonly route: DatabaseRoute;
  readonly notifications: Notifications;
  readonly locks: SessionLocks;
  readonly #pool: Pool;
  readonly #closing = new AbortController();
  readonly #tending: NodeJS.Timeout;
  #reviving: Promise<void> | undefined;

  constructor(route: DatabaseRoute, notifications: NotificationSettings = {}) {
    this.route = route;
    this.#pool = new Pool({ ...route.connection, max: maxConnections, idleTimeoutMillis: idleMs });
    // A server that ends tells all connections, also those that nobody uses: the next statement finds out.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => client.on("error", () => {}));
    this.#tending = setInterval(() => route.tend?.(), tendEveryMs).unref();
    this.notifications = new Notifications((signal) => this.#apart(signal), notifications);
    this.locks = new SessionLocks(() => this.#apart(this.#closing.signal), route.where);
  }

  query(text: string, values?: readonly unknown[]): Promise<Answer> {
    return this.borrow((connection) => connection.query(text, values));
  }

  transaction<T>(work: (connection: Queryable) => Promise<T>): Promise<T> {
    return withTransaction(this, work);
  }

  /**
   * A server that was killed leaves connections in the pool that look well until they are written to. The first
   * statement then never left this process, so another connection takes it and nobody learns of it.
   */
  async borrow<T>(use: (connection: Queryable) => Promise<T>): Promise<T> {
    const lent: { client?: PoolClient; lost: boolean } = { client: await this.#lend(), lost: false };
    let statements = 0;
    const query: Queryable["query"] = async (text, values) => {
      for (let others = statements++ === 0 ? maxConnections : 0; ; others--) {
        try {
          lent.client ??= await this.#lend();
          return await asQueryable(lent.client).query(text, values);
        } catch (error) {
          if (others === 0 || !wasNotSent(error)) {
            lent.lost ||= isConnectionLoss(error);
            throw databaseFailure(error, this.route.where);
          }
        }
        lent.client?.release(true);
        delete lent.client;
      }
    };
    try {
      return await use({ query });
    } finally {
      lent.client?.release(lent.lost);
    }
  }

  /** Ends this process's connections. The server goes on. */
  async close(): Promise<void> {
    this.#closing.abort(new OrchestratorError("cancelled", "the database was closed"));
    clearInterval(this.#tending);
    await this.notifications.close();
    await this.locks.close();
    if (!this.#pool.ending) await this.#pool.end();
  }

  #lend(): Promise<PoolClient> {
    return this.#withRevival(() => this.#pool.connect());
  }

  /** A connection beside the pool, for what is kept for long. */
  async #apart(signal: AbortSignal): Promise<Client> {
    signal.throwIfAborted();
    return this.#withRevival(() => connect(this.route.connection), signal);
  }

  async #withRevival<T>(attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let revivals = 0; ; revivals++) {
      try {
        return await attempt();
      } catch (error) {
        if (isExhaustion(error)) throw exhausted(error);
        const last = revivals >= maxRevivals || !this.route.revive || !isConnectionLoss(error);
        if (last || this.#closing.signal.aborted) throw databaseFailure(error, this.route.where);
        signal?.throwIfAborted();
        await this.#revive();
      }
    }
  }

  /** Once for all who miss it at the same time. */
  #revive(): Promise<void> {
    this.#reviving ??= Promise.resolve(this.route.revive?.(this.#closing.signal)).finally(() => {
      this.#reviving = undefined;
    });
    return this.#reviving;
  }
}

/** A connection of one's own. Its end is told by what is asked of it, and by its event `end`. */
export async function connect(settings: ClientConfig): Promise<Client> {
  const client = new Client(settings);
  client.on("error", () => {});
  await client.connect();
  return client;
}

export function asQueryable(client: Client | PoolClient): Queryable {
  return {
    query: async (text, values) => {
      // Several statements in one text have an answer each.
      const answers: QueryResult | QueryResult[] = await client.query(text, values?.map(storableParameter));
      const last = Array.isArray(answers) ? answers.at(-1) : answers;
      return { rows: last?.rows ?? [], count: last?.rowCount ?? 0 };
    },
  };
}

/** The pool has no code for it. */
function isExhaustion(error: unknown): boolean {
  return error instanceof Error && error.message === "timeout exceeded when trying to connect";
}

function exhausted(cause: unknown): OrchestratorError {
  return new OrchestratorError(
    "database_unavailable",
    `all ${maxConnections} connections of this process to the database are in use`,
    { remedy: "try it again; if it stays so, somebody keeps a transaction open for too long", cause },
  );
}
