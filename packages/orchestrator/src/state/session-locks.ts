import type { Client } from "pg";
import { z } from "zod";
import { databaseFailure, isConnectionLoss } from "./connection-failure.ts";
import { type SessionLockKind, sessionLockNumbers } from "./locks.ts";

/** A new connection of its own, whose errors somebody takes. */
type Connect = () => Promise<Client>;

const answer = z.object({ held: z.boolean() });

/** How long a process may be silent before its locks are taken from it, and how often it says something. */
interface Silence {
  mostMs: number;
  saysEveryMs: number;
}

/** The same as for a lease of a stage, whose work these locks are for. */
const usual: Silence = { mostMs: 60_000, saysEveryMs: 10_000 };

/**
 * Locks that are held for longer than a transaction, by a whole process over one connection: however many are held, the
 * pool stays free for those who hold them. A process that dies gives them back, and so does one that has stopped. Should
 * it wake up, or the database die, others may have them while the work goes on: what must never happen twice is guarded
 * by a fence besides.
 */
export class SessionLocks {
  readonly #connect: Connect;
  readonly #where: string;
  readonly #silence: Silence;
  /** Within the process: a connection is given again what it holds. */
  readonly #held = new Set<string>();
  #client: Promise<Client> | undefined;
  #asked: Promise<unknown> = Promise.resolve();

  constructor(connect: Connect, where: string, silence = usual) {
    this.#connect = connect;
    this.#where = where;
    this.#silence = silence;
  }

  /** Does the work while nobody else holds any of these, in whatever process; undefined, at once, where somebody does. */
  async whileHeld<T>(
    kind: SessionLockKind,
    keys: readonly string[],
    work: () => Promise<T>,
  ): Promise<{ result: T } | undefined> {
    const names = keys.map((key) => `${kind} ${key}`);
    if (names.some((name) => this.#held.has(name))) return undefined;
    for (const name of names) this.#held.add(name);
    const taken: string[] = [];
    try {
      for (const key of keys) {
        if (!(await this.#take(kind, key))) return undefined;
        taken.push(key);
      }
      return { result: await work() };
    } finally {
      for (const key of taken) await this.#giveBack(kind, key);
      for (const name of names) this.#held.delete(name);
    }
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    this.#client = undefined;
    await client?.end().catch(() => {});
  }

  /** On a connection that was lost nothing was taken: another is asked, once. */
  async #take(kind: SessionLockKind, key: string): Promise<boolean> {
    const asked = "select pg_try_advisory_lock($1, hashtext($2)) as held";
    for (let isAgain = false; ; isAgain = true) {
      const opened = this.#connected();
      const client = await opened;
      try {
        const { rows } = await this.#ask(client, asked, [sessionLockNumbers[kind], key]);
        return answer.parse(rows[0]).held;
      } catch (error) {
        if (isAgain || !isConnectionLoss(error)) throw databaseFailure(error, this.#where);
        this.#forget(opened);
        await client.end().catch(() => {});
      }
    }
  }

  /** Where the connection is lost so is the lock. */
  async #giveBack(kind: SessionLockKind, key: string): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    const asked = "select pg_advisory_unlock($1, hashtext($2))";
    if (client) await this.#ask(client, asked, [sessionLockNumbers[kind], key]).catch(() => {});
  }

  #connected(): Promise<Client> {
    if (this.#client) return this.#client;
    const opened = this.#open();
    this.#client = opened;
    const forget = (): void => this.#forget(opened);
    opened.then((client) => client.once("end", forget), forget);
    return opened;
  }

  /** The server ends a connection that is silent for too long; one over which nothing is held may be. */
  async #open(): Promise<Client> {
    const client = await this.#connect();
    await client.query(`set idle_session_timeout = ${this.#silence.mostMs}`);
    const saying = setInterval(() => {
      if (this.#held.size > 0) this.#ask(client, "select", []).catch(() => {});
    }, this.#silence.saysEveryMs).unref();
    client.once("end", () => clearInterval(saying));
    return client;
  }

  #forget(opened: Promise<Client>): void {
    if (this.#client === opened) this.#client = undefined;
  }

  /** A connection is asked one thing at a time. */
  #ask(client: Client, text: string, values: readonly unknown[]): Promise<{ rows: unknown[] }> {
    const asked = this.#asked.then(() => client.query(text, [...values]));
    this.#asked = asked.catch(() => {});
    return asked;
  }
}
