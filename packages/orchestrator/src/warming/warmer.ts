import { setTimeout as sleep } from "node:timers/promises";
import { DockerBackend } from "@opentiger/sandbox";
import { diskFloor } from "@opentiger/sandboxd";
import { Bell } from "../bell.ts";
import type { Place } from "../place.ts";
import { usesEngine } from "../project/loop-sandboxes.ts";
import { configChannel } from "../state/config/stored-values.ts";
import { eventsChannel } from "../state/events.ts";
import { type LoopToWarm, loopsToWarm } from "./loops-to-warm.ts";
import { nextKind, type WantedKind, wantedKinds } from "./next-kind.ts";
import { type WarmKind, warmKind } from "./warm-kind.ts";

/** What happens together is looked at together. */
const gatherMs = 200;

/** So soon one that was taken is replaced: not at the very moment when whoever took it begins. */
const refillPauseMs = 1_000;

/** Nothing is wanted; whatever changes that is told. */
const idlePauseMs = 15_000;

/** What sandboxes are like is found out again after that, since images are made anew and settings changed. */
const kindMs = 30_000;

/** After a failure nothing is tried for that loop for so long. */
const troublePauseMs = 60_000;

interface Known {
  kind: WarmKind | undefined;
  until: number;
}

/**
 * Keeps sandboxes ready for the loops that run, so that a task does not wait for one to be made: as many as
 * OPENTIGER_POOL_SIZE says and are going to be needed, made one after the other in the background, and removed when no
 * loop wants them any more, whoever made them. Nobody depends on it: whoever finds none makes one.
 */
export class Warmer {
  readonly #place: Place;
  readonly #bell = new Bell();
  readonly #stop = new AbortController();
  readonly #kinds = new Map<string, Known>();
  /** Loops of which it was said that there is a trouble, and whether it was said of all. */
  readonly #told = new Set<string>();
  #toldOfAll = false;
  readonly #ended: Promise<void>;

  static start(place: Place): Warmer {
    return new Warmer(place);
  }

  private constructor(place: Place) {
    this.#place = place;
    this.#ended = this.#keepWarm();
  }

  /** Those that are ready stay so, for the next one. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#bell.ring();
    await this.#ended;
  }

  async #keepWarm(): Promise<void> {
    const { signal } = this.#stop;
    const { notifications } = this.#place.database;
    const leaves = [
      notifications.subscribe(eventsChannel, () => this.#bell.ring()),
      notifications.subscribe(configChannel, () => this.#bell.ring()),
    ];
    while (!signal.aborted) {
      const pauseMs = await this.#look().catch((error: unknown) => this.#tellOfAll(error));
      if (signal.aborted || pauseMs === 0) continue;
      await this.#bell.wait(pauseMs);
      await sleep(gatherMs, undefined, { signal }).catch(() => {});
    }
    for (const leave of leaves) leave();
  }

  /** One process at a time: so there are never more of them than there may be. Returns when to look again. */
  async #look(): Promise<number> {
    const { locks } = this.#place.database;
    const alone = await locks.whileHeld("warming", ["all"], () => this.#step());
    this.#toldOfAll = false;
    return alone?.result.pauseMs ?? refillPauseMs;
  }

  async #step(): Promise<{ pauseMs: number }> {
    const { database, config } = this.#place;
    const size = poolSize(config);
    const usual = config.get("EXECUTION_ENVIRONMENT");
    const approve = config.get("OPENTIGER_APPROVE_PLANS");
    const loops = await loopsToWarm(database, { size, usual, approve });
    this.#forgetOthers(loops);
    if (loops.length === 0 && !(await usesEngine(this.#place))) return { pauseMs: idlePauseMs };
    const backend = await this.#place.backend("sandbox");
    if (!(backend instanceof DockerBackend)) return { pauseMs: idlePauseMs };
    const wanted = wantedKinds(await this.#wanted(backend, loops));
    if (this.#stop.signal.aborted) return { pauseMs: idlePauseMs };
    await cool(backend, wanted);
    const next = nextKind(wanted, backend.warmSandboxes(), size);
    if (!next) return { pauseMs: loops.length > 0 ? refillPauseMs : idlePauseMs };
    await this.#park(backend, next);
    return { pauseMs: 0 };
  }

  /** Loops that want some, and of what kind; without those that are in trouble or not ready for it. */
  async #wanted(backend: DockerBackend, loops: readonly LoopToWarm[]): Promise<WantedKind[]> {
    const wanted: WantedKind[] = [];
    for (const { loop, open } of loops) {
      const known = await this.#kindOf(backend, loop);
      if (known) wanted.push({ kind: known, open });
    }
    return wanted;
  }

  async #kindOf(backend: DockerBackend, loop: LoopToWarm["loop"]): Promise<WarmKind | undefined> {
    const known = this.#kinds.get(loop.id);
    if (known && performance.now() < known.until) return known.kind;
    try {
      const kind = await warmKind(this.#place, backend, loop, this.#stop.signal);
      this.#kinds.set(loop.id, { kind, until: performance.now() + (kind ? kindMs : 0) });
      return kind;
    } catch (error) {
      this.#pause(loop.id, error);
      return undefined;
    }
  }

  async #park(
    backend: DockerBackend,
    { kind, count }: NonNullable<ReturnType<typeof nextKind>>,
  ): Promise<void> {
    try {
      await refuseFullDisk(backend, this.#place.env);
      await backend.warm({ ...kind.options, count, signal: this.#stop.signal });
    } catch (error) {
      for (const [loop, known] of this.#kinds) if (known.kind?.key === kind.key) this.#pause(loop, error);
    }
  }

  /** Said once: sandboxes are made all the same, only when they are needed. */
  #pause(loop: string, error: unknown): void {
    this.#kinds.set(loop, { kind: undefined, until: performance.now() + troublePauseMs });
    if (this.#stop.signal.aborted || this.#told.has(loop)) return;
    this.#told.add(loop);
    this.#place.log(`no sandboxes of loop ${loop} are made ahead of need: ${String(error)}`);
  }

  #tellOfAll(error: unknown): number {
    if (!this.#stop.signal.aborted && !this.#toldOfAll)
      this.#place.log(`no sandboxes are made ahead of need: ${String(error)}`);
    this.#toldOfAll = true;
    return idlePauseMs;
  }

  #forgetOthers(loops: readonly LoopToWarm[]): void {
    const ids = new Set(loops.map(({ loop }) => loop.id));
    for (const id of [...this.#kinds.keys(), ...this.#told]) {
      if (ids.has(id)) continue;
      this.#kinds.delete(id);
      this.#told.delete(id);
    }
  }
}

/** More than can be taken at the same moment would only wait. */
function poolSize(config: Place["config"]): number {
  const atOnce = config.get("OPENTIGER_MAX_RUNNING") + config.get("OPENTIGER_MAX_JUDGES");
  return Math.min(config.get("OPENTIGER_POOL_SIZE"), atOnce);
}

async function cool(backend: DockerBackend, wanted: readonly WantedKind[]): Promise<void> {
  const keys = new Set(wanted.map(({ kind }) => kind.key));
  const isKept = ({ key }: { key: string | null }): boolean => key !== null && keys.has(key);
  // The engine is not asked where there is nothing to remove.
  if (!backend.warmSandboxes().every(isKept)) await backend.coolUnless(isKept);
}

/** So near to its end, what is free belongs to the work that is under way. */
async function refuseFullDisk(backend: DockerBackend, env: NodeJS.ProcessEnv): Promise<void> {
  const [free, floor] = [await backend.freeBytes(), diskFloor(env)];
  if (free === undefined || free > 2 * floor) return;
  throw new Error(`the disk of the engine has ${free} bytes left`);
}
