import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { writeAtomically } from "@opentiger/sandbox";
import { z } from "zod";

const record = z.object({
  id: z.uuid(),
  name: z.string(),
  environment: z.enum(["host", "sandbox"]),
  tty: z.string().regex(/^\/dev\/pts\/\d+$/),
});

/** How a shell is found again when the server that started it is gone. */
export type ShellRecord = z.infer<typeof record>;

/**
 * One file for each shell that can be found again. When it was last wanted is the time of its file, so servers that
 * share a state folder agree on it.
 */
export class ShellRecords {
  readonly #folder: string;

  constructor(stateFolder: string) {
    this.#folder = join(stateFolder, "terminals");
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
  }

  write(shell: ShellRecord): void {
    writeAtomically(this.#file(shell.id), JSON.stringify(shell));
  }

  read(id: string): ShellRecord | undefined {
    try {
      return record.parse(JSON.parse(readFileSync(this.#file(id), "utf8")));
    } catch {
      return undefined;
    }
  }

  /** Somebody wants it, now. */
  touch(id: string): void {
    const now = new Date();
    try {
      utimesSync(this.#file(id), now, now);
    } catch {
      // It has just ended.
    }
  }

  remove(id: string): void {
    rmSync(this.#file(id), { force: true });
  }

  /** Those that nobody has wanted for so long. */
  unwanted(ms: number): string[] {
    return readdirSync(this.#folder)
      .filter((name) => name.endsWith(".json") && this.#age(name) > ms)
      .map((name) => name.slice(0, -".json".length));
  }

  #age(name: string): number {
    try {
      return Date.now() - statSync(join(this.#folder, name)).mtimeMs;
    } catch {
      return 0;
    }
  }

  #file(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}
