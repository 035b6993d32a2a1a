import { posix } from "node:path";
import { staysInside } from "../git/link-target.ts";
import type { LoopRepository } from "../git/repository.ts";
import type { TreeEntry } from "../git/tree-entry.ts";

type Source = Pick<LoopRepository, "contents" | "listFiles">;

const submodule = "160000";

/** Of one file, in bytes. */
const mostAhead = 64 * 1024;

/** No file system has longer ones. */
const longestTarget = 4096;

/** So that links which lead to each other come to an end. */
const mostLinks = 8;

/** The files of a commit, found by their paths as a file system would: over links, as long as they stay in the tree. */
export class BaseFiles {
  readonly #source: Source;
  readonly #entries: ReadonlyMap<string, TreeEntry>;
  readonly #contents = new Map<string, Buffer>();

  private constructor(source: Source, entries: ReadonlyMap<string, TreeEntry>) {
    this.#source = source;
    this.#entries = entries;
  }

  static async of(source: Source, commit: string): Promise<BaseFiles> {
    const entries = await source.listFiles(commit);
    return new BaseFiles(source, new Map(entries.map((entry) => [entry.path, entry])));
  }

  /** Of files and links. */
  get paths(): string[] {
    return [...this.#entries.keys()];
  }

  /** Reads those of them that are small, at once: one after the other is one process each. */
  async readAhead(paths: readonly string[]): Promise<void> {
    const entries = paths.flatMap((path) => this.#entries.get(path) ?? []);
    const small = entries.filter(({ mode, size }) => mode !== submodule && size <= mostAhead);
    const contents = await this.#source.contents(small.map(({ oid }) => oid));
    for (const [oid, content] of contents) this.#contents.set(oid, content);
  }

  /** The regular file that is there, by the path that it has itself. */
  async find(path: string, links = mostLinks): Promise<TreeEntry | undefined> {
    const entry = this.#entries.get(path);
    if (entry?.mode.startsWith("100")) return entry;
    const link = this.#linkOn(path);
    if (!link || links === 0) return undefined;
    const target = (await this.read(link)).toString("utf8");
    if (!staysInside(link.path, target)) return undefined;
    const rest = path.slice(link.path.length + 1);
    return this.find(posix.join(posix.dirname(link.path), target, rest), links - 1);
  }

  /** The caller has looked at its size. */
  async read({ oid }: TreeEntry): Promise<Buffer> {
    const known = this.#contents.get(oid) ?? (await this.#source.contents([oid])).get(oid);
    return known ?? Buffer.alloc(0);
  }

  /** The first link on the way: the path itself, or a folder above it. */
  #linkOn(path: string): TreeEntry | undefined {
    const parts = path.split("/");
    const ways = parts.map((_, index) => this.#entries.get(parts.slice(0, index + 1).join("/")));
    return ways.find((entry) => entry?.mode === "120000" && entry.size <= longestTarget);
  }
}
