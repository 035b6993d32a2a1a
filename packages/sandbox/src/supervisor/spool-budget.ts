/** What the spools of all commands that run may hold together; each alone may hold less. */
const defaultBytes = 32 * 1024 * 1024;

/**
 * Room that the spools of running commands share. Where it is used up a command that nobody reads waits, until somebody
 * reads one of them; and so does every other, beyond the little that each is sure of.
 */
export class SpoolBudget {
  readonly #limit: number;
  #used = 0;
  readonly #waiting = new Set<() => void>();

  constructor(limit = defaultBytes) {
    this.#limit = limit;
  }

  get isUsedUp(): boolean {
    return this.#used >= this.#limit;
  }

  take(bytes: number): void {
    this.#used += bytes;
  }

  giveBack(bytes: number): void {
    this.#used -= bytes;
    if (this.isUsedUp) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** Calls `wake` once, when there may be room again; asking twice is asking once. */
  whenRoom(wake: () => void): void {
    this.#waiting.add(wake);
  }

  forget(wake: () => void): void {
    this.#waiting.delete(wake);
  }
}
