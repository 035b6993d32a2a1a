import { refused } from "./entry-name.ts";
import type { Folder } from "./folder.ts";

/**
 * Walks a tree that is being written, holding the folders from its root to the latest one open. Entries of an
 * archive come folder by folder, so most steps open nothing.
 */
export class OpenTree {
  readonly #root: Folder;
  #path: string[] = [];
  #open: Folder[] = [];

  constructor(root: Folder) {
    this.#root = root;
  }

  /** The folder at this path, made where it is missing. Valid until the next call. */
  folder(path: readonly string[], mode = 0o755): Folder {
    this.#leave(path);
    let here = this.#open.at(-1) ?? this.#root;
    for (const name of path.slice(this.#open.length)) {
      const last = this.#open.length === path.length - 1;
      here = this.#enter(here, name, last ? mode : 0o755);
    }
    return here;
  }

  setTime(path: readonly string[], modified: Date): void {
    const name = path.at(-1);
    if (name !== undefined) this.folder(path.slice(0, -1)).setTime(name, modified);
  }

  close(): void {
    this.#leave([]);
  }

  /** Closes what does not lie on the way to this path. */
  #leave(path: readonly string[]): void {
    let common = 0;
    while (common < this.#path.length && common < path.length && this.#path[common] === path[common])
      common += 1;
    for (const folder of this.#open.splice(common)) folder.close();
    this.#path = this.#path.slice(0, common);
  }

  #enter(parent: Folder, name: string, mode: number): Folder {
    const info = parent.info(name);
    // Its owner must be able to go on writing into it, and to remove it.
    if (!info) parent.makeFolder(name, mode | 0o700);
    else if (!info.isDirectory())
      throw refused([...this.#path, name].join("/"), "is a folder and something else");
    const folder = parent.child(name);
    this.#open.push(folder);
    this.#path.push(name);
    return folder;
  }
}
