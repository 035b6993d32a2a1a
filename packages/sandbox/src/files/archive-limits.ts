import { SandboxError } from "../errors.ts";

/** What one copy out of a sandbox may cost the host. */
export interface ArchiveLimits {
  /** Bytes of the archive, headers included: more than what is written to the disk. */
  bytes: number;
  entries: number;
}

/** A large checkout with its dependencies fits; a disk is not filled by mistake. */
export const defaultLimits: ArchiveLimits = { bytes: 8 * 1024 ** 3, entries: 500_000 };

/** Counts what has come so far and throws at the first byte or entry too many. */
export class ArchiveBudget {
  readonly #limits: ArchiveLimits;
  #bytes = 0;
  #entries = 0;

  constructor(limits: ArchiveLimits) {
    this.#limits = limits;
  }

  spend(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#limits.bytes) throw exceeded(`${this.#limits.bytes} bytes`);
  }

  addEntry(): void {
    this.#entries += 1;
    if (this.#entries > this.#limits.entries) throw exceeded(`${this.#limits.entries} entries`);
  }

  get entries(): number {
    return this.#entries;
  }
}

function exceeded(limit: string): SandboxError {
  return new SandboxError("copy_refused", `what is copied out of the sandbox exceeds the limit of ${limit}`, {
    remedy: "copy a smaller part of it, or raise the limit",
  });
}
