import { posix } from "node:path";
import type { ProjectInstructions } from "@opentiger/agents";
import { Remembered } from "../git/remembered.ts";
import type { LoopRepository } from "../git/repository.ts";
import { BaseFiles } from "./base-files.ts";
import { importsOf } from "./instruction-imports.ts";

/** Where projects tell agents how they work: for all of it, or for a folder. */
const isInstructions = (path: string): boolean => /(?:^|\/)(?:AGENTS|CLAUDE)\.md$/.test(path);

/** All of them together, in characters: they are for people too, and a prompt has an end. */
const longest = 100_000;

/** Of a longer one not even the beginning is read. */
const longestRead = 8 * 1024 * 1024;

/** A project of many parts has one for each. */
const mostFiles = 200;

/** As deep as Claude Code follows them. */
const deepestImport = 5;

/** They may be long, and all tasks of a loop have the same. */
const known = new Remembered<ProjectInstructions[]>(16);

/**
 * What the base commit says to agents, and not what stands in a tree that an agent wrote: from every folder, behind links
 * of the tree, and with the files that are named by `@`. Each text is told once. What does not fit is named, so that it
 * can be read where it is.
 */
export async function projectInstructions({
  repository,
  baseOid,
}: {
  repository: Pick<LoopRepository, "path" | "contents" | "listFiles">;
  baseOid: string;
}): Promise<ProjectInstructions[]> {
  return known.answer(`${repository.path} ${baseOid}`, async () => {
    const files = await BaseFiles.of(repository, baseOid);
    return new Telling(files).all(files.paths.filter(isInstructions).toSorted(byDepth));
  });
}

/** Those for the whole project come first, and are told in any case. */
function byDepth(one: string, other: string): number {
  return one.split("/").length - other.split("/").length || (one < other ? -1 : 1);
}

class Telling {
  readonly #files: BaseFiles;
  /** By the path of the file itself, whatever links lead there. */
  readonly #seen = new Set<string>();
  readonly #told: ProjectInstructions[] = [];
  #room = longest;

  constructor(files: BaseFiles) {
    this.#files = files;
  }

  async all(paths: readonly string[]): Promise<ProjectInstructions[]> {
    await this.#files.readAhead(paths.slice(0, mostFiles));
    for (const [index, path] of paths.entries()) {
      const last = this.#told.at(mostFiles - 1);
      if (last) {
        last.text += `\n\n${leftOut(paths.length - index)}`;
        break;
      }
      await this.#tell(path, 0);
    }
    return this.#told;
  }

  async #tell(path: string, depth: number): Promise<void> {
    const file = await this.#files.find(path);
    if (!file || this.#seen.has(file.path) || this.#told.length >= mostFiles) return;
    this.#seen.add(file.path);
    if (this.#room === 0 || file.size > longestRead) {
      this.#told.push({ path, text: tooLong(path) });
      return;
    }
    const content = await this.#files.read(file);
    // An image, say, that is named by `@`.
    if (content.includes(0)) return;
    const text = content.toString("utf8");
    this.#told.push({ path, text: this.#fitted(path, text) });
    if (depth >= deepestImport) return;
    for (const named of importsOf(text.slice(0, longest), file.path)) await this.#tell(named, depth + 1);
  }

  #fitted(path: string, text: string): string {
    const told = text.slice(0, this.#room);
    this.#room -= told.length;
    const rest = text.length - told.length;
    return rest === 0 ? told : `${told}\n\n[${rest} characters are left out here: read the rest in ${path}.]`;
  }
}

function tooLong(path: string): string {
  const folder = posix.dirname(path);
  return `[It is not told here, for its length: read ${path} before you work${folder === "." ? "" : ` in ${folder}`}.]`;
}

function leftOut(count: number): string {
  return `[${count} further files called AGENTS.md or CLAUDE.md are not told here: before you work in a folder, read those in it and above it.]`;
}
