import { setTimeout as sleep } from "node:timers/promises";
import { VaultError } from "../errors.ts";
import type { Version, Versions } from "./versions.ts";

/** How a value is turned into the bytes of a version and back. Decoding throws when it cannot. */
export interface Codec<T> {
  encode(value: T): Promise<Uint8Array>;
  decode(bytes: Uint8Array, version: Version): Promise<T>;
}

/** Longer than dozens of processes need one after the other. */
const patienceMs = 15_000;
const longestPauseMs = 25;

/**
 * A value kept in versions: read as it is now, changed by comparing and setting. What another process has written is
 * seen by the next read; a version that has not changed is not decoded twice.
 */
export class VersionedFile<T> {
  readonly #versions: Versions;
  readonly #codec: Codec<T>;
  readonly #empty: T;
  #known: { identity: string; value: T } | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(versions: Versions, codec: Codec<T>, empty: T) {
    this.#versions = versions;
    this.#codec = codec;
    this.#empty = empty;
  }

  /** Whether anything was ever written. */
  exists(): boolean {
    return this.#versions.latest() !== undefined;
  }

  async read(): Promise<T> {
    return (await this.#current()).value;
  }

  /**
   * Replaces the value by what `step` makes of it. The step is called again, on the newer value, when another process
   * was first; returning the same object changes nothing.
   */
  change<R>(step: (current: T) => Promise<{ next: T; result: R }>): Promise<R> {
    return this.#inTurn(async (attempt) => {
      const { number, value } = await this.#current();
      const { next, result } = await step(value);
      const done = next === value || this.#versions.publish(number + 1, await this.#codec.encode(next));
      return done ? { result } : attempt.again();
    });
  }

  /** Sets the value whatever was there, readable or not. */
  replace(next: T): Promise<void> {
    return this.#inTurn(async (attempt) => {
      const number = (this.#versions.latest()?.number ?? 0) + 1;
      const done = this.#versions.publish(number, await this.#codec.encode(next));
      return done ? { result: undefined } : attempt.again();
    });
  }

  async #current(): Promise<{ number: number; value: T }> {
    const version = this.#versions.latest();
    if (!version) return { number: 0, value: this.#empty };
    if (this.#known?.identity === version.identity)
      return { number: version.number, value: this.#known.value };
    const bytes = this.#versions.read(version);
    if (!bytes) return this.#current();
    const value = await this.#codec.decode(bytes, version);
    this.#known = { identity: version.identity, value };
    return { number: version.number, value };
  }

  /** Changes of one process queue here, so that they only ever meet those of others. */
  #inTurn<R>(act: (attempt: Attempt) => Promise<{ result: R } | undefined>): Promise<R> {
    const mine = this.#turn.then(async () => {
      const attempt = new Attempt(this.#versions.folder);
      for (;;) {
        const done = await act(attempt);
        if (done) return done.result;
      }
    });
    this.#turn = mine.catch(() => {});
    return mine;
  }
}

class Attempt {
  readonly #deadline = performance.now() + patienceMs;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Waits a little, for a random time, so that two who met do not meet again. */
  async again(): Promise<undefined> {
    if (performance.now() > this.#deadline) {
      throw new VaultError("vault_busy", `other processes keep changing ${this.#folder}`, {
        remedy: "try again in a moment; nothing was changed",
      });
    }
    await sleep(Math.random() * longestPauseMs);
    return undefined;
  }
}
