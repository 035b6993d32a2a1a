import {
  closeSync,
  constants,
  lstatSync,
  lutimesSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  type Stats,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { join } from "node:path";

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/**
 * An open folder of the host. A name below it is looked up in the folder itself and never through a link, so
 * that nobody who can write there (an agent in a direct workspace) turns a copy aside by swapping a folder for
 * a link in the middle of it. Names are single components.
 *
 * The calls are synchronous: each is a few microseconds on a local disk, and a hundred thousand files through
 * the thread pool would take ten times as long.
 */
export class Folder {
  readonly path: string;
  readonly #fd: number;

  private constructor(path: string, fd: number) {
    this.path = path;
    this.#fd = fd;
  }

  /** Follows links in the path itself: it is the one that the user named. */
  static open(path: string): Folder {
    return new Folder(path, openSync(path, O_RDONLY | O_DIRECTORY));
  }

  close(): void {
    closeSync(this.#fd);
  }

  child(name: string): Folder {
    return new Folder(join(this.path, name), openSync(this.#at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  }

  makeFolder(name: string, mode: number): void {
    mkdirSync(this.#at(name), { mode });
  }

  /** A descriptor of a file that did not exist before. */
  createFile(name: string, mode: number): number {
    return openSync(this.#at(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  }

  /** A descriptor to read from. Does not wait for the writer of a FIFO; the caller looks at what it has got. */
  openFile(name: string): number {
    return openSync(this.#at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  }

  makeLink(name: string, target: string): void {
    symlinkSync(target, this.#at(name));
  }

  readLink(name: string): string {
    return readlinkSync(this.#at(name));
  }

  setTime(name: string, modified: Date): void {
    lutimesSync(this.#at(name), modified, modified);
  }

  /** What lies there, a link being a link; undefined when there is nothing. */
  info(name: string): Stats | undefined {
    return lstatSync(this.#at(name), { throwIfNoEntry: false });
  }

  names(): string[] {
    return readdirSync(this.#at("."));
  }

  move(name: string, to: Folder, newName: string): void {
    renameSync(this.#at(name), to.#at(newName));
  }

  /** Removes a file, a link, or a folder with all that is in it. */
  remove(name: string): void {
    const info = this.info(name);
    if (!info) return;
    if (!info.isDirectory()) return unlinkSync(this.#at(name));
    const folder = this.child(name);
    try {
      for (const below of folder.names()) folder.remove(below);
    } finally {
      folder.close();
    }
    rmdirSync(this.#at(name));
  }

  /** Linux resolves a path below a descriptor against the folder that it holds, wherever that has been moved. */
  #at(name: string): string {
    return process.platform === "linux" ? `/proc/self/fd/${this.#fd}/${name}` : join(this.path, name);
  }
}
