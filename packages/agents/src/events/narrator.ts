import type { AgentEvent, AgentSaying } from "@opentiger/schema";
import type { AgentEnding, AgentReader } from "../driver.ts";
import { type Line, LineSplitter } from "./lines.ts";
import type { Redactor } from "./redactor.ts";
import { plainText, withTexts } from "./text.ts";
import { tidied } from "./tidy.ts";

/** A tool's result may be as large as what the CLI takes of it; a line of JSON holds it whole. */
const stdoutLimits = { lineBytes: 16 * 1024 * 1024, headBytes: 15 * 1024 };
const stderrLimits = { lineBytes: 16 * 1024, headBytes: 15 * 1024 };

/**
 * Makes a run's events of what its CLI printed. It depends on nothing else: the same pieces with the same times give the
 * same events with the same numbers, which is how a run is taken over by another process.
 */
export class Narrator {
  readonly #reader: AgentReader;
  readonly #redactor: Redactor;
  readonly #stdout = new LineSplitter(stdoutLimits);
  readonly #stderr = new LineSplitter(stderrLimits);
  #seq = 0;
  #leftOut = { bytes: 0, pieces: 0 };

  constructor(reader: AgentReader, redactor: Redactor) {
    this.#reader = reader;
    this.#redactor = redactor;
  }

  /** How many events there were. */
  get told(): number {
    return this.#seq;
  }

  *stdout(piece: Buffer, at: number): Generator<AgentEvent, void> {
    for (const line of this.#stdout.push(piece)) yield* this.#read(line, at);
  }

  *stderr(piece: Buffer, at: number): Generator<AgentEvent, void> {
    yield* this.#tellLeftOut(at);
    for (const line of this.#stderr.push(piece)) yield* this.#readError(line, at);
  }

  /** A piece of stderr that came too fast: only its size is known. */
  *skipped(bytes: number, at: number): Generator<AgentEvent, void> {
    for (const line of this.#stderr.end()) yield* this.#readError(line, at);
    this.#leftOut.bytes += bytes;
    this.#leftOut.pieces += 1;
  }

  /** What lacked its newline. */
  *end(at: number): Generator<AgentEvent, void> {
    for (const line of this.#stdout.end()) yield* this.#read(line, at);
    for (const line of this.#stderr.end()) yield* this.#readError(line, at);
    yield* this.#tellLeftOut(at);
  }

  /** Why the driver wants it ended, once it does. */
  get tooMuch(): ReturnType<NonNullable<AgentReader["tooMuch"]>> {
    return this.#reader.tooMuch?.();
  }

  /** What the CLI said of its end, in plain text and without the known values. */
  ending(): AgentEnding {
    const ending = this.#reader.ending();
    const plain = (text: string): string => this.#redactor.text(plainText(text));
    const error = ending.error && { ...ending.error, message: plain(ending.error.message) };
    const lastText = ending.lastText === null ? null : plain(ending.lastText);
    const denials = ending.denials.map(plain);
    return { ...ending, error, lastText, denials, answer: withTexts(ending.answer, plain) };
  }

  *#read(line: Line, at: number): Generator<AgentEvent, void> {
    if (line.kind === "cut" || line.text === "") return yield* this.#keep("stdout", line, at);
    for (const saying of this.#sayings(this.#redactor.text(line.text))) yield this.#event(saying, at);
  }

  /** Some CLIs tell there what they tell nowhere else. */
  *#readError(line: Line, at: number): Generator<AgentEvent, void> {
    const known = line.kind === "whole" ? this.#errorSayings(this.#redactor.text(line.text)) : [];
    if (known.length === 0) return yield* this.#keep("stderr", line, at);
    for (const saying of known) yield this.#event(saying, at);
  }

  /** A line that the driver stumbles over is one that nobody knows. */
  #sayings(line: string): AgentSaying[] {
    try {
      return this.#reader.line(line);
    } catch {
      return [{ type: "raw", stream: "stdout", line }];
    }
  }

  #errorSayings(line: string): AgentSaying[] {
    try {
      return this.#reader.errorLine?.(line) ?? [];
    } catch {
      return [];
    }
  }

  *#keep(stream: "stdout" | "stderr", line: Line, at: number): Generator<AgentEvent, void> {
    if (line.text === "") return;
    const text = this.#redactor.text(line.text);
    const missing = line.kind === "cut" ? `… [a line of ${line.bytes} bytes]` : "";
    yield this.#event({ type: "raw", stream, line: `${text}${missing}` }, at);
  }

  *#tellLeftOut(at: number): Generator<AgentEvent, void> {
    const { bytes, pieces } = this.#leftOut;
    if (pieces === 0) return;
    this.#leftOut = { bytes: 0, pieces: 0 };
    yield this.#event({ type: "raw", stream: "stderr", line: `… [${bytes} bytes came too fast]` }, at);
  }

  #event(saying: AgentSaying, at: number): AgentEvent {
    this.#seq += 1;
    return { ...tidied(saying, this.#redactor), seq: this.#seq, at: new Date(at).toISOString() };
  }
}
