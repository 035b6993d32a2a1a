import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";

/** Why somebody who waits for news should look now. */
export type Wake =
  /** Something was told on the channel. */
  | { kind: "notified"; payload: string }
  /** The connection is there, for the first time or again: what was told before was not heard. */
  | { kind: "connected" }
  /** Just in case. */
  | { kind: "polled" };

/** Must not throw: it is called from within the connection. */
export type Subscriber = (wake: Wake) => void;

/** A new connection of its own, whose errors somebody takes. */
type Connect = (signal: AbortSignal) => Promise<Client>;

export interface NotificationSettings {
  /** The net under it all: so late something is noticed at the latest that was not heard. */
  pollMs?: number;
  /** Longest pause between two tries to connect again. */
  maxPauseMs?: number;
}

const firstPauseMs = 50;
const channelPattern = /^[a-z][a-z0-9_]{0,62}$/;

/**
 * LISTEN and NOTIFY for a whole process, over one connection that is made anew whenever it is lost. Nobody may rely on
 * what is told: it says when to look, and what is true is in the tables. So whoever listens is also woken when the
 * connection came back, and from time to time.
 */
export class Notifications {
  readonly #connect: Connect;
  readonly #pollMs: number;
  readonly #maxPauseMs: number;
  readonly #closing = new AbortController();
  readonly #subscribers = new Map<string, Set<Subscriber>>();
  #client: Client | undefined;
  #asked: Promise<unknown> = Promise.resolve();
  #running: Promise<void> | undefined;

  constructor(connect: Connect, { pollMs = 10_000, maxPauseMs = 5_000 }: NotificationSettings = {}) {
    this.#connect = connect;
    this.#pollMs = pollMs;
    this.#maxPauseMs = maxPauseMs;
  }

  /** Wakes as soon as the channel is listened to, and then whenever there may be news. Returns what ends it. */
  subscribe(channel: string, subscriber: Subscriber): () => void {
    if (!channelPattern.test(channel)) throw new RangeError(`${channel} cannot be the name of a channel`);
    const subscribers = this.#subscribers.get(channel) ?? new Set();
    this.#subscribers.set(channel, subscribers.add(subscriber));
    this.#running ??= this.#run();
    const client = this.#client;
    // Where this fails the connection is lost, and all channels are listened to on the next one.
    if (client)
      void this.#ask(client, `listen ${channel}`).then(() => subscriber({ kind: "connected" }), ignore);
    return () => subscribers.delete(subscriber);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#client?.end().catch(ignore);
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    const poll = setInterval(() => this.#poll(), this.#pollMs);
    let pauseMs = firstPauseMs;
    while (!signal.aborted) {
      const client = await this.#connect(signal).catch(() => undefined);
      if (client) {
        if (await this.#listen(client)) pauseMs = firstPauseMs;
        await client.end().catch(ignore);
      }
      await sleep(pauseMs, undefined, { signal }).catch(ignore);
      pauseMs = Math.min(pauseMs * 2, this.#maxPauseMs);
    }
    clearInterval(poll);
  }

  /** Returns when the connection is lost. Says whether it ever listened. */
  async #listen(client: Client): Promise<boolean> {
    const lost = new Promise<void>((resolve) => {
      client.once("end", resolve);
    });
    client.on("notification", ({ channel, payload = "" }) =>
      this.#wake(channel, { kind: "notified", payload }),
    );
    // Whatever an earlier connection still owes an answer does not hold up this one.
    this.#asked = Promise.resolve();
    try {
      for (const channel of this.#subscribers.keys()) await this.#ask(client, `listen ${channel}`);
    } catch {
      return false;
    }
    if (this.#closing.signal.aborted) return true;
    this.#client = client;
    this.#wakeAll({ kind: "connected" });
    await lost;
    this.#client = undefined;
    return true;
  }

  #poll(): void {
    this.#wakeAll({ kind: "polled" });
    const client = this.#client;
    // A connection can be dead without anybody having said so.
    if (client) void this.#ask(client, "select 1").catch(() => client.end().catch(ignore));
  }

  /** One statement after the other: that is all that a connection takes. */
  #ask(client: Client, text: string): Promise<unknown> {
    const asked = this.#asked.then(() => client.query(text));
    this.#asked = asked.catch(ignore);
    return asked;
  }

  #wakeAll(wake: Wake): void {
    for (const channel of this.#subscribers.keys()) this.#wake(channel, wake);
  }

  #wake(channel: string, wake: Wake): void {
    for (const subscriber of this.#subscribers.get(channel) ?? []) subscriber(wake);
  }
}

function ignore(): void {}
