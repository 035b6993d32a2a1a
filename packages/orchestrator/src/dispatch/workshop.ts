import { setTimeout as sleep } from "node:timers/promises";
import { anySignal } from "@opentiger/schema";
import { z } from "zod";
import type { Place } from "../place.ts";
import { LeaseLost, ProcessEnding } from "../stage/lease-lost.ts";
import type { Lease } from "../state/lease.ts";
import { allRows } from "../state/rows.ts";
import { type ExecuteOptions, executeStage } from "./execute-stage.ts";

/** A stage that is being worked on. */
interface BegunStage {
  readonly lease: Lease;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** A stage whose failure could not even be written down is not tried again at once. */
const troublePauseMs = 10_000;

/** The stages that one process works on, side by side. */
export class Workshop {
  readonly #place: Place;
  readonly #execution: ExecuteOptions;
  readonly #onEnd: () => void;
  readonly #works = new Map<number, BegunStage>();
  readonly #closing = new AbortController();

  constructor(place: Place, execution: ExecuteOptions, onEnd: () => void) {
    this.#place = place;
    this.#execution = execution;
    this.#onEnd = onEnd;
  }

  get stages(): ReadonlySet<number> {
    return new Set(this.#works.keys());
  }

  /** Works on it from now on. If this process still winds up an earlier lease on the same stage, that ends first. */
  begin(lease: Lease): void {
    const before = this.#works.get(lease.stage);
    before?.stop.abort(new LeaseLost(lease.stage));
    const stop = new AbortController();
    const ended = this.#work(lease, stop.signal, before?.ended).finally(() => {
      if (this.#works.get(lease.stage)?.lease === lease) this.#works.delete(lease.stage);
      this.#onEnd();
    });
    this.#works.set(lease.stage, { lease, stop, ended });
    if (this.#closing.signal.aborted) stop.abort(new ProcessEnding());
  }

  /** Stops what was ended or taken over since, without waiting for the next heartbeat. */
  async dropLost(): Promise<void> {
    if (this.#works.size === 0) return;
    const asked = [...this.#works.values()];
    const held = await allRows(
      this.#place.database,
      z.object({ stage: z.number(), fence: z.number() }),
      "select id as stage, fence from stages where state = 'claimed' and id = any ($1::bigint[])",
      [asked.map(({ lease }) => lease.stage)],
    );
    const fences = new Map(held.map(({ stage, fence }) => [stage, fence]));
    for (const { lease, stop } of asked) {
      if (fences.get(lease.stage) !== lease.fence) stop.abort(new LeaseLost(lease.stage));
    }
  }

  /** Stops all of it where it is; whoever comes next goes on. */
  leave(): void {
    this.#closing.abort();
    for (const { stop } of this.#works.values()) stop.abort(new ProcessEnding());
  }

  /** Returns when nothing is worked on any more. */
  async closed(): Promise<void> {
    await Promise.all([...this.#works.values()].map((work) => work.ended));
  }

  async #work(lease: Lease, signal: AbortSignal, before: Promise<void> | undefined): Promise<void> {
    await before;
    try {
      await executeStage(this.#place, lease, signal, this.#execution);
    } catch (error) {
      this.#place.log(`stage ${lease.stage} (${lease.kind}) could not be ended: ${String(error)}`);
      const until = anySignal([signal, this.#closing.signal]);
      await sleep(troublePauseMs, undefined, { signal: until }).catch(() => {});
    }
  }
}
