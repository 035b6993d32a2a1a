import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { writeAtomically } from "@opentiger/sandbox";
import { jsonOf } from "@opentiger/schema";
import { z } from "zod";
import { type Scope, scopeKey, scopesOf } from "../caller.ts";
import { readText } from "../text-file.ts";
import { LineFile } from "./line-file.ts";
import { type RequestEntry, type RequestRecord, requestRecord } from "./record.ts";
import { noTotals, type Totals, totals, withEntry } from "./totals.ts";

/** More runs than anybody looks back at; the ones that were quiet the longest are forgotten first. */
const maxScopes = 20_000;

/** The same refusal to the same sandbox is written down once in so long. */
const refusalPauseMs = 60_000;
const maxRefusals = 10_000;

const snapshot = z.object({
  version: z.literal(1),
  seq: z.number().int(),
  totals: z.record(z.string(), totals),
});

export interface LedgerOptions {
  folder: string;
  /** At this size the lines are set aside and the totals written down. */
  limitBytes?: number;
  onTrouble: (sentence: string) => void;
}

/**
 * Every request, appended as a line, and the sums of them. The sums are those of all lines ever written, across
 * restarts and a kill at any moment: a snapshot says up to which line it counts, and the lines behind it are added.
 */
export class Ledger {
  readonly #file: LineFile;
  readonly #snapshotPath: string;
  readonly #limit: number;
  readonly #onTrouble: (sentence: string) => void;
  readonly #listeners = new Set<(record: RequestRecord) => void>();
  /** When each was written down last, by whom it was told and why. */
  readonly #refusals = new Map<string, Map<string | null, number>>();
  #totals = new Map<string, Totals>();
  #seq = 0;

  constructor({ folder, limitBytes = 4 * 1024 * 1024, onTrouble }: LedgerOptions) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#file = new LineFile(join(folder, "requests.jsonl"));
    this.#snapshotPath = join(folder, "totals.json");
    this.#limit = limitBytes;
    this.#onTrouble = onTrouble;
    this.#load();
  }

  append(entry: RequestEntry): void {
    this.#seq += 1;
    const record: RequestRecord = { seq: this.#seq, ...entry };
    this.#count(record);
    for (const listener of this.#listeners) listener(record);
    if (!this.#isNews(entry)) return;
    try {
      if (this.#file.append(JSON.stringify(record)) >= this.#limit) this.#turn();
    } catch (error) {
      this.#onTrouble(`the gateway's ledger cannot be written: ${String(error)}`);
    }
  }

  totals(scope: Scope): Totals {
    return this.#totals.get(scopeKey(scope)) ?? noTotals;
  }

  /** The last requests that count for it, the newest last. Those that were set aside a while ago are not among them. */
  recent(limit: number, scope: Scope): RequestRecord[] {
    const mention = JSON.stringify(scope.id);
    const lines = [...this.#file.linesBefore(), ...this.#file.lines()].filter((line) =>
      line.includes(mention),
    );
    const counts = (record: RequestRecord) =>
      scopesOfRecord(record).some(({ kind, id }) => kind === scope.kind && id === scope.id);
    return lines.flatMap(recordOf).filter(counts).slice(-limit);
  }

  subscribe(listener: (record: RequestRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    try {
      this.#writeSnapshot();
    } catch (error) {
      this.#onTrouble(`the gateway's totals cannot be written: ${String(error)}`);
    }
  }

  /**
   * A sandbox that asks again and again for what it does not get must not push what it did get out of the files. What is
   * refused after something was answered is news again: the last line of a run tells how it ended.
   */
  #isNews({ outcome, sandbox, run, reason, at }: RequestEntry): boolean {
    const key = `${sandbox} ${run}`;
    if (outcome !== "refused") this.#refusals.delete(key);
    if (outcome !== "refused") return true;
    const told = this.#refusals.get(key) ?? new Map<string | null, number>();
    const time = Date.parse(at);
    if (time - (told.get(reason) ?? Number.NEGATIVE_INFINITY) < refusalPauseMs) return false;
    if (this.#refusals.size >= maxRefusals) this.#refusals.clear();
    this.#refusals.set(key, told.set(reason, time));
    return true;
  }

  /** First the sums, then the lines: whoever dies in between counts none of them twice. */
  #turn(): void {
    this.#writeSnapshot();
    this.#file.setAside();
  }

  #writeSnapshot(): void {
    const kept = Object.fromEntries(this.#totals);
    writeAtomically(this.#snapshotPath, JSON.stringify({ version: 1, seq: this.#seq, totals: kept }));
  }

  #load(): void {
    const counted = this.#readSnapshot();
    this.#seq = counted?.seq ?? 0;
    this.#totals = new Map(Object.entries(counted?.totals ?? {}));
    for (const record of this.#file.lines().flatMap(recordOf)) {
      if (record.seq <= this.#seq) continue;
      this.#seq = record.seq;
      this.#count(record);
    }
  }

  /** One that cannot be read is kept for whoever wants to know; what the lines still tell is counted. */
  #readSnapshot(): z.infer<typeof snapshot> | undefined {
    const text = readText(this.#snapshotPath);
    if (text === undefined) return undefined;
    const read = snapshot.safeParse(jsonOf(text));
    if (read.success) return read.data;
    const aside = `${this.#snapshotPath}.damaged`;
    renameSync(this.#snapshotPath, aside);
    this.#onTrouble(
      `the gateway's totals could not be read and were set aside as ${aside}: budgets start anew`,
    );
    return undefined;
  }

  #count(record: RequestRecord): void {
    for (const scope of scopesOfRecord(record)) {
      const key = scopeKey(scope);
      const next = withEntry(this.#totals.get(key) ?? noTotals, record);
      // Put at the end again, so that the first one is always the quietest.
      this.#totals.delete(key);
      this.#totals.set(key, next);
    }
    for (const key of this.#totals.keys()) {
      if (this.#totals.size <= maxScopes) break;
      this.#totals.delete(key);
    }
  }
}

function scopesOfRecord({ sandbox, run, loop, at }: RequestRecord): Scope[] {
  return scopesOf({ sandboxId: sandbox, run: run ?? undefined, loop: loop ?? undefined }, new Date(at));
}

function recordOf(line: string): RequestRecord[] {
  const read = requestRecord.safeParse(jsonOf(line));
  return read.success ? [read.data] : [];
}
