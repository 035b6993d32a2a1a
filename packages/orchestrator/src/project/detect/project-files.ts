import { globMatcher } from "../../git/glob.ts";

/** A manifest is not larger; what is, is not read. */
const maxFileBytes = 4 * 1024 * 1024;

export type ReadFile = (path: string) => Promise<Buffer | undefined>;

/** The files of a project, or of a folder in it, as far as detection looks at them. */
export class ProjectFiles {
  readonly names: ReadonlySet<string>;
  readonly #read: ReadFile;

  constructor(names: Iterable<string>, read: ReadFile) {
    this.names = new Set(names);
    this.#read = read;
  }

  has(path: string): boolean {
    return this.names.has(path);
  }

  /** The first of these that there is. */
  first(...paths: readonly string[]): string | undefined {
    return paths.find((path) => this.names.has(path));
  }

  matching(...globs: readonly string[]): string[] {
    const matchers = globs.map(globMatcher);
    return [...this.names].filter((path) => {
      const names = path.split("/");
      return matchers.some((matches) => matches(names));
    });
  }

  /** undefined: it is not there, or too large to be what it is taken for. */
  async text(path: string): Promise<string | undefined> {
    if (!this.names.has(path)) return undefined;
    const content = await this.#read(path);
    return content && content.length <= maxFileBytes ? content.toString("utf8") : undefined;
  }

  /** Those below a folder, as if it were the top. */
  below(folder: string): ProjectFiles {
    const start = `${folder}/`;
    const within = [...this.names].filter((name) => name.startsWith(start));
    return new ProjectFiles(
      within.map((name) => name.slice(start.length)),
      (path) => this.#read(start + path),
    );
  }
}
