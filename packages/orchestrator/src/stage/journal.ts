import { randomUUID } from "node:crypto";
import { link, mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeAtomically } from "@opentiger/sandbox";
import { errno } from "@opentiger/schema";
import type { z } from "zod";
import { OrchestratorError } from "../errors.ts";

/**
 * What was found out in the course of a stage, step by step, so that whoever takes it over goes on behind the last step
 * that is known. A step that was under way is done again: it must stand that. A file for each, there as a whole or not at
 * all, and never replaced: of two who did a step, one of them asleep in between, the first one's result is everybody's.
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
    if (await this.#publish(name, result)) return result;
    const first = await this.known(name, shape);
    if (first === undefined)
      throw new OrchestratorError("internal", `the step ${name} was known and is gone`);
    return first;
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

  /** false: somebody else was first. */
  async #publish(name: string, result: unknown): Promise<boolean> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const own = this.#path(`${name}.${randomUUID()}`);
    writeAtomically(own, JSON.stringify(result));
    try {
      await link(own, this.#path(name));
      return true;
    } catch (error) {
      if (errno(error) === "EEXIST") return false;
      throw error;
    } finally {
      await rm(own, { force: true });
    }
  }

  #path(name: string): string {
    return join(this.folder, `${name}.json`);
  }
}
