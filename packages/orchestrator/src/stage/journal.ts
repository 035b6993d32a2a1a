import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeAtomically } from "@opentiger/sandbox";
import { errno } from "@opentiger/schema";
import type { z } from "zod";

/**
 * What was found out in the course of a stage, step by step, so that whoever takes it over goes on behind the last step
 * that is known. A step that was under way is done again: it must stand that. A file for each, replaced as a whole.
 */
export class Journal {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** The result of this step: the one that is known, else what `work` gives, which is known from then on. */
  async step<T>(name: string, shape: z.ZodType<T>, work: () => Promise<T>): Promise<T> {
    const known = await this.known(name, shape);
    if (known !== undefined) return known;
    const result = shape.parse(await work());
    await this.#write(name, result);
    return result;
  }

  /** undefined: it was not done yet. */
  async known<T>(name: string, shape: z.ZodType<T>): Promise<T | undefined> {
    try {
      return shape.parse(JSON.parse(await readFile(this.#path(name), "utf8")));
    } catch (error) {
      if (errno(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  async #write(name: string, result: unknown): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    writeAtomically(this.#path(name), JSON.stringify(result));
  }

  #path(name: string): string {
    return join(this.folder, `${name}.json`);
  }
}
