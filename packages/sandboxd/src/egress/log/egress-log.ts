import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { LogEntry, LogEvent, LogRow } from "./entry.ts";
import { LogBook } from "./log-book.ts";
import { LogFile } from "./log-file.ts";

/** What a crash may lose of the log; short of that, many connections cost one write. */
const saveAfterMs = 500;

interface Volume {
  book: LogBook;
  file: LogFile;
  timer: NodeJS.Timeout | undefined;
}

/** What every sandbox reached and what it was refused, kept over restarts, with its events for whoever follows. */
export class EgressLog {
  readonly #folder: string;
  readonly #now: () => Date;
  readonly #volumes = new Map<string, Volume>();
  readonly #listeners = new Set<(event: LogEvent) => void>();

  constructor(folder: string, now: () => Date = () => new Date()) {
    this.#folder = folder;
    this.#now = now;
  }

  record(sandboxId: string, entry: LogEntry): void {
    const time = this.#now().toISOString();
    this.#change(sandboxId).book.record(entry, time);
    for (const listener of this.#listeners) listener({ time, sandboxId, ...entry });
  }

  count(
    sandboxId: string,
    at: { host: string; port: number },
    bytes: { bytesIn: number; bytesOut: number },
  ): void {
    if (bytes.bytesIn === 0 && bytes.bytesOut === 0) return;
    this.#change(sandboxId).book.count(at, bytes, this.#now().toISOString());
  }

  /** Most recent first. */
  rows(sandboxId: string): LogRow[] {
    return this.#volume(sandboxId).book.rows();
  }

  /** Whose log is kept. */
  sandboxes(): string[] {
    const files = existsSync(this.#folder) ? readdirSync(this.#folder) : [];
    const kept = files.filter((name) => name.endsWith(".json")).map((name) => basename(name, ".json"));
    return [...new Set([...kept, ...this.#volumes.keys()])];
  }

  /** Tells of every event, of one sandbox or of all, until the returned function is called. */
  subscribe(sandboxId: string | undefined, listener: (event: LogEvent) => void): () => void {
    const chosen = (event: LogEvent) => {
      if (sandboxId === undefined || event.sandboxId === sandboxId) listener(event);
    };
    this.#listeners.add(chosen);
    return () => this.#listeners.delete(chosen);
  }

  /** For a sandbox that was removed. */
  async drop(sandboxId: string): Promise<void> {
    const volume = this.#volume(sandboxId);
    clearTimeout(volume.timer);
    this.#volumes.delete(sandboxId);
    await volume.file.remove();
  }

  /** Writes what is not written yet. */
  async close(): Promise<void> {
    await Promise.all(
      [...this.#volumes.values()].map((volume) =>
        volume.timer ? this.#save(volume) : volume.file.settled(),
      ),
    );
  }

  #change(sandboxId: string): Volume {
    const volume = this.#volume(sandboxId);
    volume.timer ??= setTimeout(() => void this.#save(volume), saveAfterMs);
    return volume;
  }

  async #save(volume: Volume): Promise<void> {
    clearTimeout(volume.timer);
    volume.timer = undefined;
    await volume.file.write(() => volume.book.rows());
  }

  #volume(sandboxId: string): Volume {
    const known = this.#volumes.get(sandboxId);
    if (known) return known;
    // The id becomes a file's name.
    if (!/^[A-Za-z0-9_-]{1,128}$/.test(sandboxId)) throw new Error("not the id of a sandbox");
    const file = new LogFile(join(this.#folder, `${sandboxId}.json`));
    const volume: Volume = { book: new LogBook(file.read()), file, timer: undefined };
    this.#volumes.set(sandboxId, volume);
    return volume;
  }
}
