import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { basename, join } from "node:path";
import { errno, type SandboxRecord, sandboxRecord } from "@opentiger/schema";
import { SandboxError } from "../errors.ts";
import { writeAtomically } from "./atomic-file.ts";

/** A record that cannot be read. Its sandbox may well exist, so it is reported and never treated as absent. */
export interface UnreadableRecord {
  id: string;
  error: SandboxError;
}

/**
 * The truth about which sandboxes are ours: one file each, written before the container is made and removed after
 * it is gone. A name is claimed by a link in `names/` that points at the record; making a link is exclusive, so
 * of two creators of one name exactly one wins.
 */
export class Records {
  readonly #records: string;
  readonly #names: string;

  constructor(stateFolder: string) {
    this.#records = join(stateFolder, "sandboxes");
    this.#names = join(stateFolder, "names");
    mkdirSync(this.#records, { recursive: true, mode: 0o700 });
    mkdirSync(this.#names, { recursive: true, mode: 0o700 });
  }

  read(id: string): SandboxRecord | undefined {
    const path = this.#path(id);
    const text = readIfThere(path);
    return text === undefined ? undefined : parse(path, text);
  }

  /** Whether there is one, readable or not. */
  has(id: string): boolean {
    return existsSync(this.#path(id));
  }

  findByName(name: string): SandboxRecord | undefined {
    const id = this.holderOf(name);
    return id === undefined ? undefined : this.read(id);
  }

  list(): { records: SandboxRecord[]; unreadable: UnreadableRecord[] } {
    const records: SandboxRecord[] = [];
    const unreadable: UnreadableRecord[] = [];
    for (const file of readdirSync(this.#records)) {
      if (!file.endsWith(".json")) continue;
      const id = basename(file, ".json");
      try {
        const record = this.read(id);
        if (record) records.push(record);
      } catch (error) {
        if (!(error instanceof SandboxError)) throw error;
        unreadable.push({ id, error });
      }
    }
    return { records, unreadable };
  }

  write(record: SandboxRecord): void {
    writeAtomically(this.#path(record.id), `${JSON.stringify(sandboxRecord.parse(record), null, 2)}\n`);
  }

  /** Changes the record of a finished sandbox and returns it; undefined when there is none, or it is being removed. */
  update(id: string, change: (record: SandboxRecord) => SandboxRecord): SandboxRecord | undefined {
    const record = this.read(id);
    if (record?.state !== "adopted" && record?.state !== "creating") return undefined;
    const changed = change(record);
    this.write(changed);
    return changed;
  }

  /** false when the name is taken. The record must be written first, so that a claim always leads to one. */
  claimName(name: string, id: string): boolean {
    try {
      symlinkSync(linkTarget(id), join(this.#names, name));
      return true;
    } catch (error) {
      if (errno(error) === "EEXIST") return this.holderOf(name) === id;
      throw error;
    }
  }

  /** The id of the record that claims the name, whether or not that record is still there. */
  holderOf(name: string): string | undefined {
    try {
      return basename(readlinkSync(join(this.#names, name)), ".json");
    } catch (error) {
      if (errno(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  releaseName(name: string, id: string): void {
    if (this.holderOf(name) !== id) return;
    try {
      unlinkSync(join(this.#names, name));
    } catch (error) {
      if (errno(error) !== "ENOENT") throw error;
    }
  }

  /** The last step of every removal: first the name, so that no claim is left without a record. */
  drop(record: Pick<SandboxRecord, "id" | "name">): void {
    this.releaseName(record.name, record.id);
    rmSync(this.#path(record.id), { force: true });
  }

  #path(id: string): string {
    return join(this.#records, `${id}.json`);
  }
}

function linkTarget(id: string): string {
  return join("..", "sandboxes", `${id}.json`);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errno(error) === "ENOENT") return undefined;
    throw unreadable(path, error);
  }
}

function parse(path: string, text: string): SandboxRecord {
  try {
    return sandboxRecord.parse(JSON.parse(text));
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, cause: unknown): SandboxError {
  return new SandboxError("internal", `the record ${path} cannot be read`, {
    remedy: "put the file back, or remove the sandbox's container with `docker rm -f` and then this file",
    cause,
  });
}
