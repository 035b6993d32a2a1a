import { readdir, readlink } from "node:fs/promises";
import { startTimeOf } from "@opentiger/sandbox";
import type { Sandboxd } from "@opentiger/sandboxd";
import { ServerError } from "../errors.ts";

/** Whoever asks the server does not wait for long until it is known who they are. */
const withinMs = 1_000;

/**
 * Which connections are sandboxd's: what it dials, it dials for something inside a sandbox. So nothing inside reaches
 * this server, also where its port was declared as one of the host's.
 */
export class SandboxdSockets {
  readonly #sandboxd: Sandboxd;
  /** The last one that was seen. */
  #seen: { pid: number; startTime: string | undefined } | undefined;

  constructor(sandboxd: Sandboxd) {
    this.#sandboxd = sandboxd;
  }

  /** Refuses where nobody can tell. */
  async has(inode: string): Promise<boolean> {
    const wanted = `socket:[${inode}]`;
    const before = this.#seen?.pid;
    if ((await socketsOf(before)).includes(wanted)) return true;
    // It may have been started again a moment ago: its first connection is as little to be trusted as its last.
    const pid = await this.#pid();
    if (pid === undefined || pid === before) return false;
    return (await socketsOf(pid)).includes(wanted);
  }

  /** undefined when none runs. */
  async #pid(): Promise<number | undefined> {
    try {
      const pid = (await this.#sandboxd.status({ withinMs }))?.pid;
      if (pid !== undefined) this.#seen = { pid, startTime: startTimeOf(pid) };
      return pid;
    } catch (error) {
      // One that says nothing now is still the one that was seen, as long as that one runs.
      const { pid, startTime } = this.#seen ?? {};
      if (pid !== undefined && startTime !== undefined && startTimeOf(pid) === startTime) return pid;
      throw new ServerError(
        "sandboxd_unavailable",
        "sandboxd does not answer, so that nobody can tell whether this comes out of a sandbox",
        { remedy: "see `opentiger sandboxd logs`", cause: error },
      );
    }
  }
}

async function socketsOf(pid: number | undefined): Promise<string[]> {
  if (pid === undefined) return [];
  const folder = `/proc/${pid}/fd`;
  const files = await readdir(folder).catch(() => []);
  return Promise.all(files.map((file) => readlink(`${folder}/${file}`).catch(() => "")));
}
