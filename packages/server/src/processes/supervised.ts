import type { Launcher, RunningProcess } from "./launcher.ts";

export type ProcessState = "running" | "starting" | "waiting" | "failed" | "stopped";

export interface ProcessStatus {
  name: string;
  /** waiting: it ended, and is started again soon. failed: it ended too often. */
  state: ProcessState;
  pid: number | null;
  startedAt: string | null;
  version: string | null;
  working: number;
  /** How often it was started again since somebody last said that it should run. */
  restarts: number;
  /** waiting: when it is tried again. */
  nextTryAt: string | null;
}

export interface SupervisionSettings {
  /** The first pause; each further one is twice as long. */
  firstPauseMs: number;
  maxPauseMs: number;
  /** One that lived for so long was not broken when it was started. */
  soundMs: number;
  /** So many in a row that did not live for so long, and it is not tried again. */
  maxCrashes: number;
  /** One that is not seen for so long after its start has not started. */
  startMs: number;
}

export const usualSupervision: SupervisionSettings = {
  firstPauseMs: 500,
  maxPauseMs: 30_000,
  soundMs: 60_000,
  maxCrashes: 5,
  startMs: 60_000,
};

/** One process that is to run, or not, and is started again where it ends. What it was before we came is not asked. */
export class Supervised {
  readonly name: string;
  readonly #launcher: Launcher;
  readonly #settings: SupervisionSettings;
  readonly #skipped: () => boolean;
  #wanted = false;
  #seen: RunningProcess | undefined;
  #seenAt = 0;
  #startedAt: number | undefined;
  /** What we started has ended, whether it was ever seen or not. */
  #gone = false;
  #crashes = 0;
  #restarts = 0;
  #nextTry: number | undefined;

  /** skipped: it is not to run now although it is wanted, and ends by itself where it does. */
  constructor(name: string, launcher: Launcher, settings: SupervisionSettings, skipped: () => boolean) {
    this.name = name;
    this.#launcher = launcher;
    this.#settings = settings;
    this.#skipped = skipped;
  }

  get wanted(): boolean {
    return this.#wanted;
  }

  /** From now on it is to run; one that had failed is tried anew. */
  want(): void {
    this.#wanted = true;
    this.#restarts = 0;
    this.#anew();
  }

  /** Returns when it is gone. */
  async stop(): Promise<void> {
    this.#wanted = false;
    this.#startedAt = undefined;
    this.#nextTry = undefined;
    await this.#launcher.stop(this.name);
    this.#seen = undefined;
  }

  /** Sees whether it runs, and does what follows. */
  async look(now: number): Promise<void> {
    const seen = await this.#launcher.status(this.name);
    if (seen) return this.#isThere(seen, now);
    const ended = this.#seen !== undefined;
    const missed =
      this.#startedAt !== undefined && (this.#gone || now - this.#startedAt > this.#settings.startMs);
    if (ended || missed) this.#ended(now);
    if (this.#skipped()) return this.#anew();
    if (!this.#wanted || this.#startedAt !== undefined || this.#hasFailed) return;
    if (this.#nextTry === undefined || now >= this.#nextTry) this.#start(now);
  }

  status(now: number): ProcessStatus {
    const { pid = null, startedAt = null, version = null, working = 0 } = this.#seen ?? {};
    const nextTryAt =
      this.#nextTry === undefined ? null : new Date(Date.now() + this.#nextTry - now).toISOString();
    const { name } = this;
    return {
      name,
      state: this.#state(),
      pid,
      startedAt,
      version,
      working,
      restarts: this.#restarts,
      nextTryAt,
    };
  }

  get #hasFailed(): boolean {
    return this.#crashes >= this.#settings.maxCrashes;
  }

  #state(): ProcessState {
    if (this.#seen) return this.#seen.ready ? "running" : "starting";
    if (!this.#wanted || this.#skipped()) return "stopped";
    if (this.#hasFailed) return "failed";
    return this.#nextTry === undefined || this.#startedAt !== undefined ? "starting" : "waiting";
  }

  /** Nothing of before counts: it is tried at the next look at which it is to run. */
  #anew(): void {
    this.#crashes = 0;
    this.#nextTry = undefined;
  }

  #isThere(seen: RunningProcess, now: number): void {
    if (this.#seen?.pid !== seen.pid) this.#seenAt = now;
    if (now - this.#seenAt >= this.#settings.soundMs) this.#crashes = 0;
    this.#seen = seen;
    this.#startedAt = undefined;
    this.#nextTry = undefined;
  }

  #ended(now: number): void {
    const { firstPauseMs, maxPauseMs } = this.#settings;
    this.#seen = undefined;
    this.#startedAt = undefined;
    if (!this.#wanted) return;
    this.#crashes += 1;
    this.#nextTry = now + Math.min(firstPauseMs * 2 ** (this.#crashes - 1), maxPauseMs);
  }

  #start(now: number): void {
    if (this.#nextTry !== undefined) this.#restarts += 1;
    this.#nextTry = undefined;
    this.#startedAt = now;
    this.#gone = false;
    this.#launcher.start(this.name, () => {
      this.#gone = true;
    });
  }
}
