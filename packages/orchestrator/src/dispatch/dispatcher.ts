import { setTimeout as sleep } from "node:timers/promises";
import { type StageRole, stageRoles } from "@opentiger/schema";
import { Bell } from "../bell.ts";
import type { Place } from "../place.ts";
import { newOwner } from "../process/owner.ts";
import { Reconciler } from "../recovery/reconcile/reconciler.ts";
import { claimStage } from "../state/claims.ts";
import { configChannel } from "../state/config/stored-values.ts";
import { eventsChannel } from "../state/events.ts";
import { takeOverAbandoned } from "./abandoned-leases.ts";
import { claimLimits } from "./claim-limits.ts";
import { leaseMs as usualLeaseMs } from "./lease-keeper.ts";
import { nextReady } from "./next-ready.ts";
import type { StageWork } from "./work.ts";
import { Workshop } from "./workshop.ts";

export interface DispatcherOptions {
  /** What it claims; everything by default. */
  roles?: readonly StageRole[];
  /** Stops it, as `stop` does. */
  signal?: AbortSignal;
  leaseMs?: number;
  work?: StageWork;
  /** Whether it also sees to what nobody works on; default: yes, where it claims everything. */
  reconciles?: boolean;
}

/** Somebody was just changing the loop in which there may be something; they are done in moments. */
const busyPauseMs = 25;

/** So soon it is noticed that another process of this machine was killed. */
const othersPauseMs = 1_000;

/** Nothing is known to come; whatever does is told, and the database wakes us from time to time besides. */
const idlePauseMs = 10_000;

/** So long after a change of settings they are surely read. */
const settingsMs = 500;

/** A database that is not there is tried again after that. */
const troublePauseMs = 1_000;

/** Who is told to stop does so within moments; whoever hangs is left behind when the process ends. */
const leavePatienceMs = 5_000;

/** So many troubles are remembered as said; more of them are said again. */
const mostTold = 1_000;

/**
 * Claims stages as the limits allow and works on them, side by side, until it is stopped. Any number of them work
 * together; one that is killed is replaced by any other, which goes on where it was.
 */
export class Dispatcher {
  readonly owner = newOwner();
  /** Resolves when it has stopped. */
  readonly ended: Promise<void>;
  readonly #place: Place;
  readonly #roles: readonly StageRole[];
  readonly #leaseMs: number;
  readonly #bell = new Bell();
  readonly #workshop: Workshop;
  readonly #reconciler: Reconciler | undefined;
  readonly #told = new Set<string>();
  #stopping: "now" | "drained" | undefined;

  static start(place: Place, options: DispatcherOptions = {}): Dispatcher {
    return new Dispatcher(place, options);
  }

  private constructor(place: Place, { roles, signal, leaseMs, work, reconciles }: DispatcherOptions) {
    this.#place = place;
    this.#roles = roles ?? stageRoles;
    this.#leaseMs = leaseMs ?? usualLeaseMs;
    const execution = { leaseMs: this.#leaseMs, ...(work ? { work } : {}) };
    this.#workshop = new Workshop(place, execution, () => this.#bell.ring());
    if (reconciles ?? roles === undefined) this.#reconciler = Reconciler.start(place);
    this.ended = this.#run();
    const stop = () => void this.stop();
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  }

  /** How many stages it works on. */
  get working(): number {
    return this.#workshop.stages.size;
  }

  /**
   * Stops at once: agents go on, and the next dispatcher adopts them. With `drain` it claims nothing more, and ends
   * when what it works on is done. Asked again without, it does not wait any longer.
   */
  async stop({ drain = false }: { drain?: boolean } = {}): Promise<void> {
    this.#stopping = drain && this.#stopping !== "now" ? "drained" : "now";
    if (this.#stopping === "now") this.#workshop.leave();
    this.#bell.ring();
    await this.ended;
  }

  async #run(): Promise<void> {
    const { notifications } = this.#place.database;
    const leaves = [
      notifications.subscribe(eventsChannel, () => this.#bell.ring()),
      // The settings are read again first.
      notifications.subscribe(configChannel, () => setTimeout(() => this.#bell.ring(), settingsMs).unref()),
    ];
    while (!this.#stopping) {
      const pauseMs = await this.#look().catch((error: unknown) => {
        this.#place.log(`nothing could be claimed: ${String(error)}`);
        return troublePauseMs;
      });
      if (!this.#stopping) await this.#bell.wait(pauseMs);
    }
    while (this.#stopping === "drained" && this.working > 0) {
      await this.#workshop.dropLost().catch(() => {});
      await this.#bell.wait(othersPauseMs);
    }
    for (const leave of leaves) leave();
    await unlessItHangs(Promise.all([this.#workshop.closed(), this.#reconciler?.stop()]));
  }

  /** What is found at every claim is said once. */
  #tell(trouble: string): void {
    if (this.#told.has(trouble)) return;
    if (this.#told.size >= mostTold) this.#told.clear();
    this.#told.add(trouble);
    this.#place.log(trouble);
  }

  /** Everything that can be begun now is begun. Returns for how long there is nothing more to do, as far as is known. */
  async #look(): Promise<number> {
    await this.#workshop.dropLost();
    const { owner } = this;
    const { others } = await takeOverAbandoned(this.#place.database, {
      owner,
      leaseMs: this.#leaseMs,
      roles: this.#roles,
      own: this.#workshop.stages,
      begin: (lease) => {
        this.#place.log(`stage ${lease.stage} (${lease.kind}) is taken over`);
        this.#workshop.begin(lease);
      },
      onTrouble: (loop, error) => this.#tell(`nothing is taken over in loop ${loop}: ${String(error)}`),
    });
    const onTrouble = (loop: string, error: unknown): void =>
      this.#tell(`nothing is claimed in loop ${loop}: ${String(error)}`);
    while (!this.#stopping) {
      const limits = claimLimits(this.#place.config);
      const request = { owner, roles: this.#roles, limits, leaseMs: this.#leaseMs, onTrouble };
      const claim = await claimStage(this.#place.database, request);
      if (!claim.claimed) {
        if (claim.overBudget.length > 0) this.#reconciler?.look();
        if (claim.busy) return busyPauseMs;
        break;
      }
      this.#workshop.begin(claim.lease);
    }
    const readyMs = await nextReady(this.#place.database, this.#roles);
    return Math.min(others ? othersPauseMs : idlePauseMs, readyMs ?? idlePauseMs);
  }
}

async function unlessItHangs(ended: Promise<unknown>): Promise<void> {
  const patience = new AbortController();
  const over = sleep(leavePatienceMs, undefined, { signal: patience.signal }).catch(() => {});
  await Promise.race([ended, over]);
  patience.abort();
}
