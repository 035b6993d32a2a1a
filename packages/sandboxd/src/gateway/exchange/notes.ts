import type { IncomingMessage } from "node:http";
import type { GatewayCaller } from "../caller.ts";
import type { Credential } from "../credentials/credential.ts";
import type { Metered } from "../metering/meter.ts";
import { costOf } from "../metering/prices.ts";
import type { RequestEntry } from "../metering/record.ts";
import { allTokens, noTokens, type Tokens } from "../metering/tokens.ts";
import { providerOf, type Route } from "../routes/routes.ts";

/** About as many bytes of a prompt make a token. */
const bytesPerToken = 4;

const longestPath = 200;

/** What is noted of a request while it runs, and the line of the ledger that it becomes. */
export class Notes {
  route: Route | undefined;
  credential: Credential | undefined;
  outcome: RequestEntry["outcome"] = "cut";
  status: number | null = null;
  reason: string | null = null;
  error: string | null = null;
  until: Date | null = null;
  requestBytes = 0;
  metered: Metered | undefined;
  readonly #caller: GatewayCaller;
  readonly #request: IncomingMessage;
  readonly #at: Date;
  readonly #started = performance.now();

  constructor(caller: GatewayCaller, request: IncomingMessage, at: Date) {
    this.#caller = caller;
    this.#request = request;
    this.#at = at;
  }

  entry(): RequestEntry {
    const { sandboxId, sandboxName, run, loop } = this.#caller;
    const { method = "", url = "" } = this.#request;
    const tokens = this.#tokens();
    const model = this.metered?.model ?? null;
    return {
      at: this.#at.toISOString(),
      sandbox: sandboxId,
      name: sandboxName,
      run: run ?? null,
      loop: loop ?? null,
      provider: this.route?.provider ?? providerOf(url) ?? "unknown",
      method: method.slice(0, longestPath),
      path: (url.split("?")[0] ?? "").slice(0, longestPath),
      credential: this.credential?.kind ?? null,
      origin: this.credential?.origin ?? null,
      outcome: this.outcome,
      status: this.status,
      reason: this.reason,
      error: this.error ?? this.metered?.error ?? null,
      until: this.until?.toISOString() ?? null,
      model,
      tokens,
      estimated: this.#isEstimated,
      usd: tokens && (allTokens(tokens) === 0 ? 0 : costOf(model, tokens)),
      ms: Math.round(performance.now() - this.#started),
    };
  }

  get #isEstimated(): boolean {
    return this.metered ? !this.metered.final : this.outcome === "cut";
  }

  /**
   * Who cuts a stream before the API has told its usage is not served for nothing: the input counts by its size and
   * the output by the events that came.
   */
  #tokens(): Tokens | null {
    if (!this.route?.metered || this.outcome === "refused") return null;
    if (!this.metered && this.outcome !== "cut") return noTokens;
    const { tokens = null, final = false, events = 0 } = this.metered ?? {};
    if (final && tokens) return tokens;
    const known = tokens ?? { ...noTokens, input: Math.ceil(this.requestBytes / bytesPerToken) };
    return { ...known, output: Math.max(known.output, events) };
  }
}
