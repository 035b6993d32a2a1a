import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Target } from "./host/target.ts";
import { type Naming, naming } from "./policy/decide.ts";

/** What `connections` tells of one. */
export interface LinkView {
  host: string;
  port: number;
  rule: string;
  since: string;
  bytesIn: number;
  bytesOut: number;
}

/** A connection without a byte for this long is one that somebody forgot; keep-alives of TCP do not count. */
const idleMs = 60 * 60_000;

/** One for all: an error made anew for every connection costs more than the rest of its end. */
const cutReason = new Error("cut");

/** One way out that was allowed: from the decision, through the dialling, to the last byte. */
export class Link {
  readonly target: Target;
  readonly since: Date;
  rule: string;
  /** How closely a rule must name the target for the link to stay. */
  needed: Naming = naming.none;
  /** What was checked when it was dialled; empty while that lasts. */
  addresses: readonly string[] = [];
  readonly #abort = new AbortController();
  readonly #ends: Duplex[] = [];
  #outside: Socket | undefined;
  #counted = { bytesIn: 0, bytesOut: 0 };

  constructor(target: Target, rule: string, since: Date) {
    this.target = target;
    this.rule = rule;
    this.since = since;
  }

  /** Aborted when the link is cut. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  attach(outside: Socket, addresses: readonly string[]): void {
    this.#outside = outside;
    this.addresses = addresses;
    // What a tunnel through a proxy took to open is not the sandbox's.
    this.#counted = { bytesIn: outside.bytesRead, bytesOut: outside.bytesWritten };
    outside.on("error", () => {});
    outside.setTimeout(idleMs, () => this.cut());
    this.endsWith(outside);
  }

  /** A stream that is destroyed when the link is cut. */
  endsWith(stream: Duplex): void {
    this.#ends.push(stream);
    if (this.signal.aborted) stream.destroy();
  }

  cut(): void {
    this.#abort.abort(cutReason);
    for (const stream of this.#ends) stream.destroy();
  }

  /** The bytes since the last time this was asked: in is towards the sandbox. */
  uncounted(): { bytesIn: number; bytesOut: number } {
    const { bytesIn, bytesOut } = this.#bytes();
    const fresh = { bytesIn: bytesIn - this.#counted.bytesIn, bytesOut: bytesOut - this.#counted.bytesOut };
    this.#counted = { bytesIn, bytesOut };
    return fresh;
  }

  view(): LinkView {
    const { host, port } = this.target;
    return { host: host.text, port, rule: this.rule, since: this.since.toISOString(), ...this.#bytes() };
  }

  #bytes(): { bytesIn: number; bytesOut: number } {
    return { bytesIn: this.#outside?.bytesRead ?? 0, bytesOut: this.#outside?.bytesWritten ?? 0 };
  }
}
