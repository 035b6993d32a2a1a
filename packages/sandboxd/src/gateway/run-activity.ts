/** More runs than go on at once; of those that are quiet the earliest is forgotten first. */
const maxRuns = 4096;

interface Noted {
  lastByteAt: Date | null;
  inFlight: number;
}

/** When a run last sent a byte to a model's API or had one from it, and how many of its requests are under way. */
export class RunActivity {
  readonly #now: () => Date;
  readonly #runs = new Map<string, Noted>();

  constructor(now: () => Date) {
    this.#now = now;
  }

  of(run: string): Readonly<Noted> {
    return this.#runs.get(run) ?? { lastByteAt: null, inFlight: 0 };
  }

  /** A request of the run begins. Requests of no run are nobody's activity. */
  start(run: string | undefined): { byte: () => void; end: () => void } {
    if (run === undefined) return { byte: () => {}, end: () => {} };
    const noted: Noted = this.#runs.get(run) ?? { lastByteAt: null, inFlight: 0 };
    noted.inFlight += 1;
    // Put at the end again, so that the first one is always the one that asked longest ago.
    this.#runs.delete(run);
    this.#runs.set(run, noted);
    this.#forgetQuiet();
    return {
      byte: () => {
        noted.lastByteAt = this.#now();
      },
      end: () => {
        noted.inFlight -= 1;
      },
    };
  }

  #forgetQuiet(): void {
    for (const [run, { inFlight }] of this.#runs) {
      if (this.#runs.size <= maxRuns) return;
      if (inFlight === 0) this.#runs.delete(run);
    }
  }
}
