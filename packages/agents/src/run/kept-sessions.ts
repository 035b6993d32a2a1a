import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { errno } from "@opentiger/schema";

/** An id comes from a CLI: one that is no plain word does not become a file's name. */
const plainId = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

/** Conversations, kept outside their sandboxes: a file each, for the owner alone, replaced as a whole. */
export class KeptSessions {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async save(driver: string, id: string, kept: Buffer): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const path = this.#path(driver, id);
    const temporary = `${path}.${randomUUID()}.tmp`;
    try {
      const file = await open(temporary, "wx", 0o600);
      try {
        await file.writeFile(kept);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, path);
    } finally {
      await rm(temporary, { force: true });
    }
  }

  async load(driver: string, id: string): Promise<Buffer | undefined> {
    try {
      return await readFile(this.#path(driver, id));
    } catch (error) {
      if (errno(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  #path(driver: string, id: string): string {
    const name = plainId.test(id) ? id : createHash("sha256").update(id).digest("hex");
    return join(this.#folder, `${driver}-${name}`);
  }
}
