import { type GitOptions, git, gitStream } from "@opentiger/sandbox";
import type { ObjectStore } from "./history-transfer.ts";

/**
 * The host's git in the user's repository: their settings for reading objects, and nothing that those would start. It
 * is only ever asked, except for new objects and our own branch. No log of the branch's moves is begun there.
 */
export class UserGit implements ObjectStore {
  readonly path: string;
  readonly #signal: AbortSignal | undefined;

  constructor(path: string, signal: AbortSignal | undefined) {
    this.path = path;
    this.#signal = signal;
  }

  async run(args: readonly string[], options: GitOptions = {}): Promise<string> {
    return git(this.path, [...quiet, ...args], { signal: this.#signal, ...options });
  }

  stream(args: readonly string[], options: GitOptions = {}): AsyncGenerator<Buffer, void> {
    return gitStream(this.path, [...quiet, ...args], { signal: this.#signal, ...options });
  }
}

/** Another of us, or the user, may hold a lock for a moment, and on a busy machine for a longer one. */
const patient = ["core.filesRefLockTimeout=3000", "core.packedRefsTimeout=3000"];

const quiet = ["core.logAllRefUpdates=false", ...patient].flatMap((setting) => ["-c", setting]);
