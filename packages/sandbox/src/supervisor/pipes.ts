import { execFile } from "node:child_process";
import { constants, mkdirSync, openSync, rmSync, unlinkSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { systemTool } from "./system-tools.ts";

/** A pipe out of a command. */
export interface OutputPipe {
  /** The command's end; closed here by whoever started it. */
  fd: number;
  stream: Socket;
}

/** How many are made at a time: one process makes them all, and an exec takes two. */
const batch = 48;
const lowWater = 12;

/**
 * Pipes for stdout and stderr as a shell makes them. Node's own are socket pairs, and those cannot be opened by name:
 * `echo x > /dev/stderr` would fail in every script. Node cannot make a pipe, so these are named ones, made ahead of
 * need in a folder of the supervisor's and unlinked as soon as both ends are open: each belongs to one exec and is
 * never used again. Not for stdin: to open a named pipe whose writer has closed it already waits for ever.
 */
export class PipePool {
  /** Resolves when the first ones are there, or cannot be made. */
  readonly ready: Promise<void>;
  readonly #folder: string;
  readonly #ready: string[] = [];
  #made = 0;
  #filling: Promise<void> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.ready = this.#fill();
  }

  /** undefined when none is ready, as when no process can be started to make some: a socket pair must do then. */
  take(): OutputPipe | undefined {
    const path = this.#ready.pop();
    if (this.#ready.length < lowWater) void this.#fill();
    if (path === undefined) return undefined;
    // Not blocking, so that it does not wait for the other end; nor does that one then.
    const stream = new Socket({
      fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK),
      writable: false,
    });
    try {
      // Blocking, as programs expect of their stdio.
      return { fd: openSync(path, constants.O_WRONLY), stream };
    } finally {
      unlinkSync(path);
    }
  }

  /** Anybody may open them again, through /proc and under the name of /dev/stdout; nobody else can enter the folder. */
  #fill(): Promise<void> {
    this.#filling ??= this.#make().finally(() => {
      this.#filling = undefined;
    });
    return this.#filling;
  }

  #make(): Promise<void> {
    const paths = Array.from({ length: batch }, () => join(this.#folder, String(this.#made++)));
    return new Promise((resolve) => {
      execFile(systemTool("mkfifo"), ["-m", "0666", ...paths], (error) => {
        if (!error) this.#ready.push(...paths);
        resolve();
      });
    });
  }
}
