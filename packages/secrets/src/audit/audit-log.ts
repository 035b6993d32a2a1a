import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { errno, jsonOf } from "@opentiger/schema";
import {
  checkPrivateFolder,
  ensurePrivateFolder,
  openPrivateFile,
  readPrivateFile,
  unusable,
} from "../storage/private-file.ts";
import { type AuditEvent, auditEvent } from "./event.ts";

export interface AuditTrail {
  /** The oldest first. */
  events: AuditEvent[];
  /** Lines that could not be read, as a machine that lost power may leave one. */
  damaged: number;
}

const current = "audit.jsonl";
const rotatedPattern = /^audit-.+\.jsonl$/;
const keptRotated = 4;
const newline = 0x0a;

/**
 * The record of everything done to the vault: lines of JSON, only ever appended. When the file has grown to its
 * limit it is set aside under a name of its own, and the oldest of those are removed.
 */
export class AuditLog {
  readonly #folder: string;
  readonly #limit: number;

  constructor(folder: string, limit = 4 * 1024 ** 2) {
    this.#folder = folder;
    this.#limit = limit;
  }

  /** Throws when nothing could be appended: asked before a change, so that none is made that cannot be recorded. */
  check(): void {
    closeSync(this.#open());
  }

  append(event: AuditEvent): void {
    const path = this.#path;
    const file = this.#open();
    try {
      // A line that lost its end must not swallow this one.
      const start = endsLine(file) ? "" : "\n";
      writeFileSync(file, `${start}${JSON.stringify(event)}\n`);
      // One line per model request need not wait for the disk; everything else is rare.
      if (event.action !== "redeem") fsyncSync(file);
      const { size, ino } = fstatSync(file);
      if (size >= this.#limit) this.#rotate(path, ino);
    } catch (error) {
      throw unusable(path, error);
    } finally {
      closeSync(file);
    }
  }

  /** The last events, at most so many. */
  read(limit: number): AuditTrail {
    const trail: AuditTrail = { events: [], damaged: 0 };
    if (!checkPrivateFolder(this.#folder)) return trail;
    for (const name of [current, ...this.#rotated()]) {
      const older = parsed(readPrivateFile(join(this.#folder, name))?.toString("utf8") ?? "");
      trail.events = [...older.events, ...trail.events];
      trail.damaged += older.damaged;
      if (trail.events.length >= limit) break;
    }
    return { ...trail, events: trail.events.slice(Math.max(0, trail.events.length - limit)) };
  }

  get #path(): string {
    return join(this.#folder, current);
  }

  #open(): number {
    ensurePrivateFolder(this.#folder);
    const file = openPrivateFile(this.#path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT);
    if (file === undefined) throw unusable(this.#path, "it cannot be made");
    return file;
  }

  /** Without a lock: each gives the file a name that nobody else has, and who still writes to it loses nothing. */
  #rotate(path: string, ino: number): void {
    if (inodeOf(path) !== ino) return;
    const aside = join(this.#folder, this.#nextName(new Date()));
    try {
      renameSync(path, aside);
    } catch (error) {
      // Another process has just done it.
      if (errno(error) !== "ENOENT") throw error;
    }
    for (const name of this.#rotated().slice(keptRotated)) rmSync(join(this.#folder, name), { force: true });
  }

  /** Names are in the order of time, also where two are of the same millisecond. */
  #nextName(now: Date): string {
    const stamp = `audit-${now.toISOString().replaceAll(":", "")}`;
    const [newest = ""] = this.#rotated();
    const [, before] = newest.startsWith(stamp) ? (/-(\d{3})-[0-9a-f]+\.jsonl$/.exec(newest) ?? []) : [];
    const number = String(Number(before ?? -1) + 1).padStart(3, "0");
    return `${stamp}-${number}-${randomBytes(3).toString("hex")}.jsonl`;
  }

  /** The newest first. */
  #rotated(): string[] {
    return readdirSync(this.#folder)
      .filter((name) => rotatedPattern.test(name))
      .toSorted()
      .reverse();
  }
}

function endsLine(file: number): boolean {
  const { size } = fstatSync(file);
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  return last[0] === newline;
}

function inodeOf(path: string): number | undefined {
  try {
    return lstatSync(path).ino;
  } catch (error) {
    if (errno(error) === "ENOENT") return undefined;
    throw error;
  }
}

function parsed(text: string): AuditTrail {
  const trail: AuditTrail = { events: [], damaged: 0 };
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const event = auditEvent.safeParse(jsonOf(line));
    if (event.success) trail.events.push(event.data);
    else trail.damaged += 1;
  }
  return trail;
}
