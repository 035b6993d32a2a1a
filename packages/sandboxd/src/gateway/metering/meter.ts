import { apiErrorOf } from "./api-error.ts";
import { EventData } from "./sse.ts";
import type { Tokens } from "./tokens.ts";
import { type Dialect, merged, observe } from "./usage.ts";

/** The last event of an OpenAI stream holds the whole answer; no answer comes near this. */
const largestEvent = 8 * 1024 * 1024;

export interface Metered {
  model: string | null;
  /** null where the API said nothing. */
  tokens: Tokens | null;
  /** The API's last word was seen, so that these are its numbers and not a part of them. */
  final: boolean;
  /** What the API called an error of its own, in the middle of the answer or instead of it. */
  error: string | null;
  /** Events of the stream; about one for each token or few of the output. */
  events: number;
}

const openBrace = 0x7b;
const spaces: readonly number[] = [0x20, 0x09, 0x0a, 0x0d];

/**
 * Reads the usage off an answer as it passes, whether that is one JSON or a stream of events. It changes and delays
 * nothing, and what it holds is bounded.
 */
export class Meter {
  readonly #dialect: Dialect;
  readonly #events: EventData;
  #form: "unknown" | "json" | "events" = "unknown";
  #json: Buffer[] = [];
  #jsonBytes = 0;
  #model: string | null = null;
  #tokens: Tokens | undefined;
  #final = false;
  #error: string | null = null;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
    this.#events = new EventData(largestEvent, (data) => this.#observe(data));
  }

  feed(chunk: Buffer): void {
    if (this.#form === "unknown") this.#form = formOf(chunk);
    if (this.#form === "events") this.#events.feed(chunk);
    if (this.#form === "json") this.#keep(chunk);
  }

  end(): Metered {
    this.#events.end();
    if (this.#json.length > 0) this.#observe(Buffer.concat(this.#json).toString("utf8"));
    this.#json = [];
    return {
      model: this.#model,
      tokens: this.#tokens ?? null,
      final: this.#final,
      error: this.#error,
      events: this.#events.count,
    };
  }

  #keep(chunk: Buffer): void {
    this.#jsonBytes += chunk.length;
    if (this.#jsonBytes > largestEvent) this.#json = [];
    else this.#json.push(Buffer.from(chunk));
  }

  #observe(text: string): void {
    this.#error ??= apiErrorOf(text) ?? null;
    // Most events are a few letters of the answer: they need not be parsed.
    if (!text.includes('"usage"') && !(this.#model === null && text.includes('"model"'))) return;
    const seen = observe(this.#dialect, text);
    if (!seen) return;
    this.#model = seen.model ?? this.#model;
    if (seen.tokens) this.#tokens = merged(this.#tokens, seen.tokens);
    this.#final ||= seen.final;
  }
}

function formOf(chunk: Buffer): "unknown" | "json" | "events" {
  const first = chunk.find((byte) => !spaces.includes(byte));
  if (first === undefined) return "unknown";
  return first === openBrace ? "json" : "events";
}
