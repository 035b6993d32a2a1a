import { readdir, readlink } from "node:fs/promises";
import type { Sandboxd } from "@opentiger/sandboxd";

/** Whoever asks the server does not wait for long until it is known who they are. One that hangs dials nothing. */
const withinMs = 1_000;

/**
 * Which connections are sandboxd's: what it dials, it dials for something inside a sandbox. So nothing inside reaches
 * this server, also where its port was declared as one of the host's.
 */
export class SandboxdSockets {
  readonly #sandboxd: Sandboxd;
  /** The last one that was seen. */
  #pid: number | undefined;

  constructor(sandboxd: Sandboxd) {
    this.#sandboxd = sandboxd;
  }

  async has(inode: string): Promise<boolean> {
    const wanted = `socket:[${inode}]`;
    if ((await socketsOf(this.#pid)).includes(wanted)) return true;
    // It may have been started again a moment ago: its first connection is as little to be trusted as its last.
    const pid = (await this.#sandboxd.status({ withinMs }).catch(() => undefined))?.pid;
    if (pid === undefined || pid === this.#pid) return false;
    this.#pid = pid;
    return (await socketsOf(pid)).includes(wanted);
  }
}

async function socketsOf(pid: number | undefined): Promise<string[]> {
  if (pid === undefined) return [];
  const folder = `/proc/${pid}/fd`;
  const files = await readdir(folder).catch(() => []);
  return Promise.all(files.map((file) => readlink(`${folder}/${file}`).catch(() => "")));
}
