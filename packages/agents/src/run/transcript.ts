import { closeSync, ftruncateSync, openSync, writeFileSync } from "node:fs";
import type { ExecExit } from "@opentiger/schema";
import type { Stop } from "../outcome/classify.ts";
import type { RunRecord, TranscriptRecord } from "./transcript-record.ts";

/** More than any run says. One that says more goes on, and cannot be taken over any more. */
const defaultLimit = 1024 * 1024 * 1024;

/**
 * What a CLI printed, as it came, in a file for its owner alone. A piece is in the file before the next one is asked
 * for, so whatever happens to this process, the file and the sandbox together have every byte.
 */
export class Transcript {
  readonly #file: number;
  readonly #limit: number;
  #size: number;
  #full: boolean;

  private constructor(file: number, size: number, full: boolean, limit: number) {
    this.#file = file;
    this.#size = size;
    this.#full = full;
    this.#limit = limit;
  }

  /** Fails where there is one already: that run is to be taken over, not started twice. */
  static begin(path: string, run: RunRecord, limit = defaultLimit): Transcript {
    const transcript = new Transcript(openSync(path, "wx", 0o600), 0, false, limit);
    transcript.#append(run);
    return transcript;
  }

  /** Goes on behind what is whole in it. */
  static goOn(
    path: string,
    { size, full }: { size: number; full: boolean },
    limit = defaultLimit,
  ): Transcript {
    const file = openSync(path, "r+", 0o600);
    ftruncateSync(file, size);
    closeSync(file);
    return new Transcript(openSync(path, "a", 0o600), size, full, limit);
  }

  piece(kind: "stdout" | "stderr", data: Buffer, at: number): void {
    this.#append({ kind, at, bytes: data.length }, data);
  }

  skipped(bytes: number, at: number): void {
    this.#append({ kind: "skipped", at, bytes });
  }

  stop(stop: Stop): void {
    this.#append({ kind: "stop", ...stop });
  }

  exit(exit: ExecExit, at: number): void {
    this.#append({ kind: "exit", at, exit });
  }

  close(): void {
    closeSync(this.#file);
  }

  #append(record: TranscriptRecord, payload?: Buffer): void {
    if (this.#full) return;
    this.#full = this.#size + (payload?.length ?? 0) > this.#limit;
    const line = `${JSON.stringify(this.#full ? { kind: "full" } : record)}\n`;
    const data = payload && !this.#full ? Buffer.concat([Buffer.from(line), payload]) : Buffer.from(line);
    writeFileSync(this.#file, data);
    this.#size += data.length;
  }
}
