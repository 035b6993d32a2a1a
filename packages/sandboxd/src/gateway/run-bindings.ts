import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { writeAtomically } from "@opentiger/sandbox";
import { z } from "zod";
import { readText } from "./text-file.ts";

const boundRun = z.object({ run: z.string(), loop: z.string().optional() });
export type BoundRun = z.infer<typeof boundRun>;

const bindingFile = z.object({ version: z.literal(1), sandboxes: z.record(z.string(), boundRun) });

/**
 * For which run each sandbox works at present. A sandbox cannot say so itself: its requests are known by their stream
 * only. Kept in a file, so that those of a running agent count on after we were killed.
 */
export class RunBindings {
  readonly #path: string;
  readonly #bound: Map<string, BoundRun>;

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#path = join(folder, "runs.json");
    const text = readText(this.#path);
    const kept = text === undefined ? {} : bindingFile.parse(JSON.parse(text)).sandboxes;
    this.#bound = new Map(Object.entries(kept));
  }

  of(sandboxId: string): BoundRun | undefined {
    return this.#bound.get(sandboxId);
  }

  sandboxes(): string[] {
    return [...this.#bound.keys()];
  }

  /** The latest one counts: whoever began the one before may have died without a word. */
  bind(sandboxId: string, { run, loop }: BoundRun): void {
    this.#bound.set(sandboxId, loop === undefined ? { run } : { run, loop });
    this.#write();
  }

  /** With a run, only where that one is still the sandbox's. Says which one ended. */
  unbind(sandboxId: string, run?: string): BoundRun | undefined {
    const bound = this.of(sandboxId);
    if (!bound || (run !== undefined && bound.run !== run)) return undefined;
    this.#bound.delete(sandboxId);
    this.#write();
    return bound;
  }

  #write(): void {
    const sandboxes = Object.fromEntries(this.#bound);
    writeAtomically(this.#path, JSON.stringify({ version: 1, sandboxes }));
  }
}
