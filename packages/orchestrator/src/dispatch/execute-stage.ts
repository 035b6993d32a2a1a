import { setTimeout as sleep } from "node:timers/promises";
import { anySignal } from "@opentiger/schema";
import { OrchestratorError } from "../errors.ts";
import type { Place } from "../place.ts";
import { LeaseLost } from "../stage/lease-lost.ts";
import { isAnothers, isPassing } from "../stage/passing-trouble.ts";
import type { Lease } from "../state/lease.ts";
import { LeaseKeeper, leaseMs as usualLeaseMs } from "./lease-keeper.ts";
import { stageWork } from "./stage-work.ts";
import { takenOverTooOften } from "./taken-over.ts";
import type { StageWork } from "./work.ts";

export interface ExecuteOptions {
  leaseMs?: number;
  /** How long what goes by is waited for, from when it was first met. */
  patienceMs?: number;
  work?: StageWork;
}

/** An engine or a database that was restarted is there again by then; what is still not is a failure of the stage. */
const usualPatienceMs = 180_000;

/** Work that went on for such a part of the patience had what was missing before: what it meets then is another trouble. */
const overItPart = 1 / 3;

/** Who meets one trouble after the other so often is the cause of them, or works where nothing can be done. */
const mostTroubles = 5;

const firstPauseMs = 200;
const longestPauseMs = 10_000;

/**
 * Works on a stage while its lease holds, and gives it up without touching anything when it does not. Whatever was
 * thrown has become a failure of a known type at the end, except what only says that a process was not there: then
 * the stage is gone on with, as after a crash. Throws only where even that could not be written down.
 */
export async function executeStage(
  place: Place,
  lease: Lease,
  signal: AbortSignal,
  { leaseMs = usualLeaseMs, patienceMs = usualPatienceMs, work = stageWork }: ExecuteOptions = {},
): Promise<void> {
  const keeper = new LeaseKeeper(place, lease, leaseMs);
  const stopped = anySignal([signal, keeper.signal]);
  const attempt = new Patience(place, lease, stopped, patienceMs);
  try {
    const failure =
      takenOverTooOften(lease) ??
      (await attempt.until(async () => {
        await work[lease.kind](place, lease, stopped);
        if (!stopped.aborted && (await keeper.beat())) throw leftOpen(lease);
      }));
    if (failure && !stopped.aborted)
      await attempt.until(() => work.failed(place, lease, failure.error), "throw");
  } finally {
    keeper.stop();
  }
}

/**
 * Does things again that only failed because something was not there, while the stage is ours and for so long from when
 * it was missed first, however long was worked before; for what another process has to finish, as long as that lives.
 * The same trouble is told once.
 */
class Patience {
  readonly #place: Place;
  readonly #lease: Lease;
  readonly #stopped: AbortSignal;
  readonly #patienceMs: number;
  #told: string | undefined;

  constructor(place: Place, lease: Lease, stopped: AbortSignal, patienceMs: number) {
    this.#place = place;
    this.#lease = lease;
    this.#stopped = stopped;
    this.#patienceMs = patienceMs;
  }

  /** undefined: it was done, or is not ours to do any more. */
  async until(act: () => Promise<void>, otherwise?: "throw"): Promise<{ error: unknown } | undefined> {
    let [end, troubles] = [0, 0];
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const began = performance.now();
      const failure = await this.#failureOf(act);
      if (!failure) return undefined;
      const { error } = failure;
      const now = performance.now();
      if (troubles === 0 || now - began > this.#patienceMs * overItPart) {
        troubles += 1;
        end = now + this.#patienceMs;
        pauseMs = firstPauseMs;
      }
      if (isAnothers(error)) end = now + this.#patienceMs;
      else if (!isPassing(error) || now > end || troubles > mostTroubles) {
        if (otherwise === "throw") throw error;
        return failure;
      }
      await sleep(pauseMs, undefined, { signal: this.#stopped }).catch(() => {});
      if (this.#stopped.aborted) return undefined;
    }
  }

  async #failureOf(act: () => Promise<void>): Promise<{ error: unknown } | undefined> {
    try {
      await act();
      return undefined;
    } catch (error) {
      if (this.#stopped.aborted || error instanceof LeaseLost) return undefined;
      this.#tell(String(error));
      return { error };
    }
  }

  #tell(trouble: string): void {
    if (trouble === this.#told) return;
    this.#told = trouble;
    this.#place.log(`stage ${this.#lease.stage} (${this.#lease.kind}): ${trouble}`);
  }
}

/** Nobody would ever move it on. */
function leftOpen({ stage, kind }: Lease): OrchestratorError {
  return new OrchestratorError("internal", `stage ${stage} (${kind}) came to an end without a result`);
}
