import type { DockerBackend } from "@opentiger/sandbox";
import type { Log } from "./log.ts";

/** So soon one that was adopted is replaced: not at the very moment when whoever took it begins. */
const pauseMs = 1_000;

type Pool = Pick<DockerBackend, "poolSize" | "keepPool" | "freeBytes">;

/**
 * Keeps as many sandboxes parked as `pool` was told to, since the command that adopted one has ended long before another
 * is made. Looked at when sandboxd starts and when a sandbox is attached; what fails is tried again with the next one.
 */
export class PoolKeeper {
  readonly #poolAt: (engine: string) => Pool;
  readonly #floorBytes: number;
  readonly #log: Log;
  readonly #stop = new AbortController();
  readonly #waiting = new Map<string, NodeJS.Timeout>();
  /** One after the other, so that there are never two who park for the same want. */
  #working: Promise<void> = Promise.resolve();

  constructor(poolAt: (engine: string) => Pool, floorBytes: number, log: Log) {
    this.#poolAt = poolAt;
    this.#floorBytes = floorBytes;
    this.#log = log;
  }

  /** Soon, and once for all that happens until then. */
  look(engine: string): void {
    if (this.#stop.signal.aborted || this.#waiting.has(engine)) return;
    const begin = () => {
      this.#waiting.delete(engine);
      this.#working = this.#working.then(() => this.#keep(engine));
    };
    this.#waiting.set(engine, setTimeout(begin, pauseMs));
  }

  /** What is half made then is taken back. */
  async close(): Promise<void> {
    this.#stop.abort();
    for (const timer of this.#waiting.values()) clearTimeout(timer);
    await this.#working;
  }

  async #keep(engine: string): Promise<void> {
    const { signal } = this.#stop;
    if (signal.aborted) return;
    try {
      const backend = this.#poolAt(engine);
      if (backend.poolSize() === 0) return;
      const free = await backend.freeBytes();
      // So near to its end, what is free belongs to the work that is under way.
      if (free !== undefined && free <= 2 * this.#floorBytes) return;
      const added = await backend.keepPool(signal);
      if (added > 0) this.#log("info", "parked", { sandboxes: added });
    } catch (error) {
      if (!signal.aborted) this.#log("warn", "the pool is not filled", { error: String(error) });
    }
  }
}
