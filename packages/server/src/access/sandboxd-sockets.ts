import { readdir, readlink } from "node:fs/promises";
import type { Sandboxd } from "@opentiger/sandboxd";

/** It ends and starts again rarely; one that is new is known soon. */
const keptMs = 2_000;

/**
 * Which connections are sandboxd's: what it dials, it dials for something inside a sandbox. So nothing inside reaches
 * this server, also where its port was declared as one of the host's.
 */
export class SandboxdSockets {
  readonly #sandboxd: Sandboxd;
  #pid: number | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(sandboxd: Sandboxd) {
    this.#sandboxd = sandboxd;
  }

  async has(inode: string): Promise<boolean> {
    const pid = await this.#process();
    if (pid === undefined) return false;
    const folder = `/proc/${pid}/fd`;
    const files = await readdir(folder).catch(() => []);
    const targets = await Promise.all(files.map((file) => readlink(`${folder}/${file}`).catch(() => "")));
    return targets.includes(`socket:[${inode}]`);
  }

  async #process(): Promise<number | undefined> {
    if (performance.now() - this.#askedAt < keptMs) return this.#pid;
    const status = await this.#sandboxd.status().catch(() => undefined);
    this.#pid = status?.pid;
    this.#askedAt = performance.now();
    return this.#pid;
  }
}
