import { longestTimer } from "./timer.ts";

/** Looks at what cannot be heard: files and the model's bytes. Says whether there was anything since that moment. */
export type Look = (since: number) => Promise<boolean>;

/**
 * Calls `onIdle` once, when nothing was heard for so long and nothing is to be seen either. It looks only when the time
 * is up, so a run that talks costs nothing.
 */
export class IdleWatch {
  readonly #idleMs: number;
  readonly #look: Look;
  readonly #onIdle: () => void;
  /** By a clock that only goes on: the machine may sleep, and the other one be put right. */
  #last = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #over = false;

  constructor(idleMs: number, look: Look, onIdle: () => void) {
    this.#idleMs = idleMs;
    this.#look = look;
    this.#onIdle = onIdle;
    this.#wait(idleMs);
  }

  /** Something happened. */
  touch(): void {
    this.#last = performance.now();
  }

  stop(): void {
    this.#over = true;
    clearTimeout(this.#timer);
  }

  #wait(ms: number): void {
    if (!this.#over) this.#timer = setTimeout(() => void this.#check(), Math.min(ms, longestTimer));
  }

  async #check(): Promise<void> {
    const left = this.#leftMs;
    if (left > 0) return this.#wait(left);
    const last = this.#last;
    // A look that fails has seen nothing.
    const seen = await this.#look(Date.now() - (performance.now() - last)).catch(() => false);
    if (this.#over) return;
    if (seen) this.touch();
    if (this.#last > last) return this.#wait(Math.max(1, this.#leftMs));
    this.#over = true;
    this.#onIdle();
  }

  get #leftMs(): number {
    return this.#last + this.#idleMs - performance.now();
  }
}
