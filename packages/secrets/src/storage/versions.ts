import { type BigIntStats, lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errno } from "@opentiger/schema";
import { VaultError } from "../errors.ts";
import { temporarySuffix, writeNewFile } from "./new-file.ts";
import { checkPrivateFolder, ensurePrivateFolder, readPrivateFile } from "./private-file.ts";

export interface Version {
  number: number;
  path: string;
  /** The version before this one, kept in case this one is damaged. */
  backup: string | undefined;
  /** Changes when the file does, whoever changed it. */
  identity: string;
}

/** The current one and its backups. */
const keptVersions = 4;

/** So long a version stays, however many follow: what a reader has just found is still there when it is opened. */
const youngMs = 10_000;

/**
 * From the look at which numbers are free until one is taken, usually microseconds. Within less than a version stays,
 * the number cannot have been given and pruned in between.
 */
const longestTakingMs = youngMs / 2;

/** A writer killed in the middle leaves its file; none takes this long. */
const abandonedAfterMs = 600_000;

const longestNumber = 10;

/**
 * A file that changes by getting a new version beside the old: the one with the highest number counts. A version is
 * written once and by exactly one writer, so of two who change the same version one is told to look again, nothing
 * is ever half written, and a process killed at any moment leaves no lock behind.
 */
export class Versions {
  readonly #folder: string;
  readonly #extension: string;
  readonly #now: () => number;

  constructor(folder: string, extension: string, now: () => number = Date.now) {
    this.#folder = folder;
    this.#extension = extension;
    this.#now = now;
  }

  get folder(): string {
    return this.#folder;
  }

  latest(): Version | undefined {
    const [number, before] = this.#numbers();
    if (number === undefined) return undefined;
    const path = this.#path(number);
    const stats = statsOf(path);
    // Gone since it was listed, by whoever is mending it: look again.
    if (!stats) return this.latest();
    const { ino, size, mtimeNs, ctimeNs } = stats;
    const identity = `${path} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
    return { number, path, backup: before === undefined ? undefined : this.#path(before), identity };
  }

  /** undefined when it was pruned in the meantime. */
  read({ path }: Version): Buffer | undefined {
    return readPrivateFile(path);
  }

  /** false when somebody else was first, and nothing was changed. */
  publish(number: number, bytes: Uint8Array): boolean {
    ensurePrivateFolder(this.#folder);
    let lookedAt = 0;
    const isFree = () => {
      lookedAt = performance.now();
      return (this.#numbers()[0] ?? 0) < number;
    };
    if (!writeNewFile(this.#path(number), bytes, isFree)) return false;
    if (performance.now() - lookedAt > longestTakingMs) throw heldUp(this.#folder);
    this.#prune();
    return true;
  }

  #numbers(): number[] {
    if (!checkPrivateFolder(this.#folder)) return [];
    return readdirSync(this.#folder)
      .flatMap((name) => (name.endsWith(this.#extension) ? [name.slice(0, -this.#extension.length)] : []))
      .filter((stem) => /^\d+$/.test(stem) && stem.length <= longestNumber)
      .map(Number)
      .toSorted((left, right) => right - left);
  }

  #path(number: number): string {
    return join(this.#folder, `${String(number).padStart(longestNumber, "0")}${this.#extension}`);
  }

  #prune(): void {
    const old = this.#numbers()
      .slice(keptVersions)
      .map((number) => this.#path(number));
    for (const path of old) this.#removeOlder(path, youngMs);
    const temporary = readdirSync(this.#folder).filter((name) => name.endsWith(temporarySuffix));
    for (const name of temporary) this.#removeOlder(join(this.#folder, name), abandonedAfterMs);
  }

  #removeOlder(path: string, ageMs: number): void {
    const written = statsOf(path)?.ctimeMs;
    if (written !== undefined && this.#now() - Number(written) > ageMs) rmSync(path, { force: true });
  }
}

function statsOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true });
  } catch (error) {
    if (errno(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** The change is either in the versions since, or nowhere. What others wrote is unharmed. */
function heldUp(folder: string): VaultError {
  return new VaultError("vault_busy", `this process was held up while others changed ${folder}`, {
    remedy: "see with `opentiger secrets list` and `opentiger secrets leases` whether the change was made",
  });
}
