import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { Bell } from "../../bell.ts";
import type { Place } from "../../place.ts";
import { eventsChannel } from "../../state/events.ts";
import { oneRow } from "../../state/rows.ts";
import { Warmer } from "../../warming/warmer.ts";
import { clean } from "./clean.ts";
import { reconcile } from "./reconcile.ts";
import { endStrayRuns } from "./stray-runs.ts";

/** What happens together is looked at together. */
const gatherMs = 200;

/** So late something is put right at the latest of which nobody told. */
const idlePauseMs = 15_000;

/** What ended longer ago was seen by an earlier pass: many of them go by in that time. */
const lookBackMs = 600_000;

/** Other processes are killed too, and seldom: so late what they left half done is collected. */
const halfDoneEveryMs = 60_000;

/** After which something may be left over that nobody needs any more. */
const endings = [
  "loop.finish",
  "loop.fail",
  "loop.cancel",
  "task.merge",
  "task.give_up",
  "task.cancel",
  "run.lose",
  "run.cancel",
];

/**
 * Puts things right after every event, one pass after the other, until it is stopped. Runs that are nobody's are ended
 * beside that, and what is left over is cleaned up after everything that ends and from time to time: an engine that is
 * slow or hangs keeps no task and no loop waiting. And so are sandboxes kept ready for what is to come.
 */
export class Reconciler {
  readonly #place: Place;
  readonly #bell = new Bell();
  readonly #broom = new Bell();
  readonly #strays = new Bell();
  readonly #stop = new AbortController();
  readonly #warmer: Warmer;
  readonly #ended: Promise<unknown>;
  #seen = 0;

  static start(place: Place): Reconciler {
    return new Reconciler(place);
  }

  private constructor(place: Place) {
    this.#place = place;
    this.#warmer = Warmer.start(place);
    this.#ended = Promise.all([this.#putRight(), this.#endStrays(), this.#cleanUp()]);
  }

  /** Makes it look now. */
  look(): void {
    this.#bell.ring();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#bell.ring();
    this.#strays.ring();
    this.#broom.ring();
    await Promise.all([this.#ended, this.#warmer.stop()]);
  }

  async #putRight(): Promise<void> {
    const { signal } = this.#stop;
    const leave = this.#place.database.notifications.subscribe(eventsChannel, () => this.#bell.ring());
    while (!signal.aborted) {
      await reconcile(this.#place, signal);
      await this.#tellOfEndings();
      if (!signal.aborted) await this.#bell.wait(idlePauseMs);
      await sleep(gatherMs, undefined, { signal }).catch(() => {});
    }
    leave();
  }

  async #endStrays(): Promise<void> {
    const { signal } = this.#stop;
    const leave = this.#place.database.notifications.subscribe(eventsChannel, () => this.#strays.ring());
    while (!signal.aborted) {
      await endStrayRuns(this.#place).catch((error: unknown) => {
        if (!signal.aborted) this.#place.log(`stray runs: ${String(error)}`);
      });
      if (!signal.aborted) await this.#strays.wait(idlePauseMs);
      await sleep(gatherMs, undefined, { signal }).catch(() => {});
    }
    leave();
  }

  async #cleanUp(): Promise<void> {
    const { signal } = this.#stop;
    let seen = false;
    let collected = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      const now = performance.now();
      const halfDone = now - collected > halfDoneEveryMs;
      const cleaned = await clean(this.#place, {
        signal,
        halfDone,
        ...(seen ? { endedWithinMs: lookBackMs } : {}),
      });
      seen ||= cleaned && !signal.aborted;
      if (cleaned && halfDone) collected = now;
      if (!signal.aborted) await this.#broom.wait(idlePauseMs);
    }
  }

  async #tellOfEndings(): Promise<void> {
    const shape = z.object({ last: z.number(), ended: z.boolean() });
    const asked = oneRow(
      this.#place.database,
      shape,
      `select coalesce(max(id), $1)::bigint as last, coalesce(bool_or(type = any ($2::text[])), false) as ended
       from events where id > $1`,
      [this.#seen, endings],
    );
    const news = await asked.catch(() => undefined);
    if (!news) return;
    // The first time all that ever happened is looked at; that the broom was there already does no harm.
    this.#seen = news.last;
    if (news.ended) this.#broom.ring();
  }
}
