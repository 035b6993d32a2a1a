import { type GitOptions, git, gitStream, ownRepository } from "@opentiger/sandbox";
import { anySignal } from "@opentiger/schema";

/** A merge or a diff of a huge tree takes minutes; one that was made to take days must not hold a stage. */
const patienceMs = 15 * 60 * 1000;

/** Enough for the largest object that a sandbox may send, twice; not enough to hurt the host. */
export const memoryKib = 3 * 1024 ** 2;

/** No setting or attribute of the user's or the machine's: the same input gives the same result everywhere. */
const alone = { ...ownRepository, GIT_ATTR_NOSYSTEM: "1" };
const always = ["-c", "core.attributesFile=/dev/null", "--git-dir=."];

/**
 * The host's git in a bare repository that belongs to us. There is no work tree and HEAD leads nowhere, so neither a
 * filter nor an attribute that a commit names is ever looked at.
 */
export class OwnGit {
  readonly path: string;
  readonly signal: AbortSignal | undefined;

  constructor(path: string, signal: AbortSignal | undefined) {
    this.path = path;
    this.signal = signal;
  }

  /** The whole answer, where it is short. */
  async run(args: readonly string[], options: GitOptions = {}): Promise<string> {
    return git(this.path, [...always, ...args], this.#bounded(options));
  }

  stream(args: readonly string[], options: GitOptions = {}): AsyncGenerator<Buffer, void> {
    return gitStream(this.path, [...always, ...args], this.#bounded(options));
  }

  #bounded(options: GitOptions): GitOptions {
    const signals = [this.signal, options.signal, AbortSignal.timeout(patienceMs)];
    return {
      ...options,
      env: { ...alone, ...options.env },
      signal: anySignal(signals.filter((signal) => signal !== undefined)),
    };
  }
}
