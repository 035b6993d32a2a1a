import type { Place } from "../place.ts";
import { LeaseLost } from "../stage/lease-lost.ts";
import { heartbeat, type Lease } from "../state/lease.ts";

/** So long after its last heartbeat a stage is given up: longer than a database needs to be revived, or a laptop to wake. */
export const leaseMs = 60_000;

/** Two may be missed. */
const beatsPerLease = 3;

/** After one that failed, since the database may be there again at once. */
const retryMs = 1_000;

/**
 * Says by heartbeats that a stage is being worked on, for as long as it is. Its signal is aborted as soon as the lease
 * is known to be lost, or could be: after all of its time without one heartbeat that was heard.
 */
export class LeaseKeeper {
  readonly #place: Pick<Place, "database" | "log">;
  readonly #lease: Lease;
  readonly #leaseMs: number;
  readonly #lost = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #heard = performance.now();
  #stopped = false;

  constructor(place: Pick<Place, "database" | "log">, lease: Lease, forMs: number = leaseMs) {
    this.#place = place;
    this.#lease = lease;
    this.#leaseMs = forMs;
    this.#in(forMs / beatsPerLease);
  }

  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** Asks now whether it is still ours. */
  async beat(): Promise<boolean> {
    const asked = performance.now();
    const held = await heartbeat(this.#place.database, this.#lease, this.#leaseMs);
    if (held) this.#heard = asked;
    else this.lose();
    return held !== undefined;
  }

  lose(): void {
    this.stop();
    this.#lost.abort(new LeaseLost(this.#lease.stage));
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #in(ms: number): void {
    if (!this.#stopped) this.#timer = setTimeout(() => void this.#beatInTime(), ms);
  }

  async #beatInTime(): Promise<void> {
    // One who slept through the lease stops first and asks afterwards: whoever has it now does not wait.
    if (this.#isOver()) return this.lose();
    try {
      await this.beat();
      this.#in(this.#leaseMs / beatsPerLease);
    } catch (error) {
      if (this.#stopped) return;
      this.#place.log(`stage ${this.#lease.stage}: no heartbeat: ${String(error)}`);
      if (this.#isOver()) this.lose();
      else this.#in(Math.min(retryMs, this.#leaseMs / beatsPerLease));
    }
  }

  #isOver(): boolean {
    return performance.now() - this.#heard > this.#leaseMs;
  }
}
