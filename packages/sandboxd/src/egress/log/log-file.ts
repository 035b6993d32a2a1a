import { mkdirSync, readFileSync, renameSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { type LogRow, logRow } from "./entry.ts";

const content = z.object({ version: z.literal(1), rows: z.array(logRow) });

/** One sandbox's log on disk. Readers see the old rows or the new ones, never a part. */
export class LogFile {
  readonly #path: string;
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /** A file that cannot be read is put aside, and the log begins anew: it must not keep a sandbox from its network. */
  read(): LogRow[] {
    let text: string;
    try {
      text = readFileSync(this.#path, "utf8");
    } catch {
      return [];
    }
    try {
      return content.parse(JSON.parse(text)).rows;
    } catch {
      renameSync(this.#path, `${this.#path}.unreadable`);
      return [];
    }
  }

  /** Writes come one after the other, so that the last one asked for is the one that stays. */
  write(rows: () => readonly LogRow[]): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write(rows())).catch(() => {});
    return this.#writing;
  }

  /** Ends when nothing is being written. */
  settled(): Promise<void> {
    return this.#writing;
  }

  async remove(): Promise<void> {
    await this.#writing;
    await rm(this.#path, { force: true });
  }

  async #write(rows: readonly LogRow[]): Promise<void> {
    const temporary = `${this.#path}.tmp`;
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    await writeFile(temporary, `${JSON.stringify({ version: 1, rows })}\n`, { mode: 0o600 });
    await rename(temporary, this.#path);
  }
}
