import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { errno } from "@opentiger/schema";
import type { Budgets } from "../budgets/budgets.ts";
import type { GatewayCaller } from "../caller.ts";
import type { Billing, Credential, Resolved } from "../credentials/credential.ts";
import type { CredentialDesk } from "../credentials/desk.ts";
import type { GatewayEvent } from "../events.ts";
import type { KnownAnswers } from "../logins/known-answers.ts";
import { apiErrorOf, ErrorBody, largestErrorBody } from "../metering/api-error.ts";
import type { Ledger } from "../metering/ledger.ts";
import { Meter } from "../metering/meter.ts";
import { type Provider, providerFacts, upstreamUrl } from "../routes/provider.ts";
import { type Matched, matchRoute } from "../routes/routes.ts";
import type { RunActivity } from "../run-activity.ts";
import type { UnderWay } from "../under-way.ts";
import { answerStream, decompression, readStart } from "./answer-stream.ts";
import { requestHeaders, responseHeaders } from "./headers.ts";
import { Notes } from "./notes.ts";
import { longestWaitMs, resetOf } from "./quota.ts";
import { Redactor } from "./redactor.ts";
import { passingBody, type Refusal } from "./refusal.ts";
import {
  authRefusal,
  quotaRefusal,
  sizeRefusal,
  tooManyRefusal,
  unknownPath,
  upstreamRefusal,
} from "./refusals.ts";
import { Reply } from "./reply.ts";
import { largestBody, RequestBody } from "./request-body.ts";
import { type Upstream, UpstreamFailure } from "./upstream.ts";

/** More than any number of agents in one sandbox asks at once. */
const requestsAtOnce = 64;

/** Idle connections that were closed meanwhile, one after the other. */
const staleTries = 3;

export interface ExchangeParts {
  env: NodeJS.ProcessEnv;
  desk: CredentialDesk;
  budgets: Budgets;
  ledger: Ledger;
  upstream: Upstream;
  /** By sandbox. */
  underWay: UnderWay;
  activity: RunActivity;
  known: KnownAnswers;
  now: () => Date;
  tell: (event: GatewayEvent) => void;
}

/** One request of a CLI and its answer. */
export class Exchange {
  readonly #parts: ExchangeParts;
  readonly #caller: GatewayCaller;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #gone = new AbortController();
  readonly #notes: Notes;
  readonly #reply: Reply;
  /** Told of every byte to and from the API. */
  #byte: () => void = () => {};

  constructor(
    parts: ExchangeParts,
    caller: GatewayCaller,
    request: IncomingMessage,
    response: ServerResponse,
  ) {
    this.#parts = parts;
    this.#caller = caller;
    this.#request = request;
    this.#response = response;
    this.#notes = new Notes(caller, request, parts.now());
    this.#reply = new Reply(request, response, this.#notes);
    response.once("close", () => {
      if (!response.writableFinished) this.#gone.abort();
    });
    response.on("error", () => this.#gone.abort());
  }

  /** Ends with the answer, or with the connection; never throws. */
  async run(): Promise<void> {
    const { ledger, budgets, underWay, activity } = this.#parts;
    const matched = matchRoute(this.#request.method, this.#request.url);
    const refusal = matched ? this.#refusalAhead(matched) : unknownPath(this.#request);
    if (!matched || refusal) {
      this.#reply.refuse(refusal ?? unknownPath(this.#request));
      ledger.append(this.#notes.entry());
      return;
    }
    this.#notes.route = matched.route;
    const { byte, end: atRest } = activity.start(this.#caller.run);
    this.#byte = byte;
    const ends = [underWay.start([this.#caller.sandboxId]), atRest];
    if (matched.route.metered) ends.push(budgets.start(this.#caller));
    try {
      await this.#serve(matched);
    } catch (error) {
      this.#broke(error, matched.route.provider);
    } finally {
      if (matched.route.credential === "needed") ledger.append(this.#notes.entry());
      for (const end of ends) end();
    }
  }

  #refusalAhead({ route }: Matched): Refusal | undefined {
    const { budgets, env, underWay } = this.#parts;
    if (Number(this.#request.headers["content-length"] ?? 0) > largestBody) return sizeRefusal;
    const upstream = upstreamUrl(env, route.provider);
    if (!upstream.ok) return upstreamRefusal(upstream.reason);
    if (underWay.of(this.#caller.sandboxId) >= requestsAtOnce) return tooManyRefusal;
    return route.metered ? budgets.refusal(this.#caller) : undefined;
  }

  async #serve(matched: Matched): Promise<void> {
    const [resolved, body] = await Promise.all([this.#credential(matched), RequestBody.read(this.#request)]);
    if (resolved && !resolved.ok) return this.#reply.refuse(resolved.refusal);
    this.#notes.requestBytes = body.bytes;
    const credential = resolved?.credential;
    const answer = await this.#ask(matched, body, credential);
    if (answer.statusCode !== 401 || !credential) return this.#pass(matched, answer, credential);
    answer.resume();
    this.#tellAuthFailed(matched, credential, 401);
    const renewed = await credential.renew?.();
    if (!renewed) return this.#reply.refuse(authRefusal(matched.route.provider, credential));
    if (!renewed.ok) return this.#reply.refuse(renewed.refusal);
    await this.#askAgain(matched, body);
  }

  /** After a login was renewed. */
  async #askAgain(matched: Matched, body: RequestBody): Promise<void> {
    const { provider } = matched.route;
    if (!body.whole)
      return this.#reply.later(provider, "The login was renewed; please send the request again.");
    const resolved = await this.#credential(matched);
    if (!resolved?.ok) return resolved && this.#reply.refuse(resolved.refusal);
    const answer = await this.#ask(matched, body, resolved.credential);
    if (answer.statusCode !== 401) return this.#pass(matched, answer, resolved.credential);
    answer.resume();
    this.#tellAuthFailed(matched, resolved.credential, 401);
    this.#reply.refuse(authRefusal(provider, resolved.credential));
  }

  async #credential({ route }: Matched): Promise<Resolved | undefined> {
    if (route.credential === "none") return undefined;
    const resolved = await this.#parts.desk.resolve(
      this.#caller,
      route.provider,
      this.#meant(route.provider),
    );
    if (resolved.ok) this.#notes.credential = resolved.credential;
    return resolved;
  }

  /** Which kind of credential the client believes to have. */
  #meant(provider: Provider): Billing | undefined {
    const { authorization, "x-api-key": key } = this.#request.headers;
    return provider === "anthropic" && key !== undefined && authorization === undefined
      ? "api_key"
      : undefined;
  }

  async #ask({ route, search }: Matched, body: RequestBody, credential: Credential | undefined) {
    const upstream = upstreamUrl(this.#parts.env, route.provider);
    if (!upstream.ok) throw new Error(upstream.reason);
    const url = new URL(upstream.url);
    url.pathname = `${url.pathname.replace(/\/$/, "")}${route.upstreamPath}`;
    url.search = search;
    const { headers, method = "GET" } = this.#request;
    const sent = requestHeaders({
      headers,
      credential: credential?.headers ?? {},
      host: url.host,
      contentLength: method === "POST" ? body.length(headers["content-length"]) : undefined,
    });
    for (let tries = 1; ; tries += 1) {
      try {
        const answer = await this.#parts.upstream.ask({
          url,
          method,
          headers: sent,
          signal: this.#gone.signal,
          send: (request) => {
            this.#byte();
            body.sendTo(request);
          },
        });
        this.#byte();
        if (credential) this.#parts.known.note(credential, upstream.url, answer.statusCode ?? 0);
        return answer;
      } catch (error) {
        const again = error instanceof UpstreamFailure && error.stale && body.whole;
        if (!again || tries === staleTries) throw error;
      }
    }
  }

  async #pass(matched: Matched, answer: IncomingMessage, credential: Credential | undefined): Promise<void> {
    const { statusCode: status = 502 } = answer;
    const redactor = new Redactor(credential?.secrets ?? []);
    this.#notes.status = status;
    if (status === 403 && credential) this.#tellAuthFailed(matched, credential, status);
    if (status === 429 && credential) return this.#passLimit(matched, answer, credential, redactor);
    const decompress = decompression(answer);
    if (!decompress) {
      answer.destroy();
      return this.#reply.later(
        matched.route.provider,
        "The answer was compressed in a way that cannot be read.",
      );
    }
    const headers = responseHeaders(answer.headers, redactor);
    if (answer.headers["content-encoding"]) {
      delete headers["content-encoding"];
      delete headers["content-length"];
    }
    this.#response.writeHead(status, headers);
    this.#response.flushHeaders();
    const meter = matched.route.metered && status === 200 ? this.#meter(matched.route.provider) : undefined;
    const errorBody = status >= 400 ? new ErrorBody() : undefined;
    const watchers = [{ feed: this.#byte }, meter, errorBody].filter((watcher) => watcher !== undefined);
    try {
      await pipeline([answer, ...decompress, answerStream(redactor, watchers), this.#response]);
    } finally {
      this.#notes.metered = meter?.end();
      this.#notes.error = errorBody?.end() ?? null;
    }
    this.#notes.outcome = "answered";
  }

  #meter(provider: Provider): Meter {
    return new Meter(provider === "anthropic" ? "anthropic" : "openai");
  }

  /** A limit that is soon over is the client's to wait for; a longer one ends its turn, and is known here. */
  async #passLimit(matched: Matched, answer: IncomingMessage, credential: Credential, redactor: Redactor) {
    const { now, tell } = this.#parts;
    const body = await readStart(answer, largestErrorBody);
    const reset = resetOf(answer.headers, body.toString("utf8"), now());
    const { provider } = matched.route;
    this.#notes.error = apiErrorOf(body.toString("utf8")) ?? null;
    this.#notes.until = reset ?? null;
    if (reset && reset.getTime() - now().getTime() > longestWaitMs) {
      tell({ type: "quota", ...this.#about(provider, credential), until: reset.toISOString() });
      return this.#reply.refuse(quotaRefusal(provider, reset));
    }
    const headers = responseHeaders(answer.headers, redactor);
    const clean = Buffer.concat([redactor.feed(body), redactor.end()]);
    this.#response.writeHead(429, { ...headers, "content-length": clean.length });
    this.#response.end(clean);
    this.#notes.outcome = "answered";
  }

  #tellAuthFailed({ route }: Matched, credential: Credential, status: number): void {
    this.#notes.status = status;
    this.#parts.tell({ type: "auth_failed", ...this.#about(route.provider, credential), status });
  }

  #about(provider: Provider, { origin }: Credential) {
    return { at: this.#parts.now().toISOString(), sandbox: this.#caller.sandboxId, provider, origin };
  }

  /** One of the two sides is gone: so is the other, unless it can still be told. */
  #broke(error: unknown, provider: Provider): void {
    const { signal } = this.#gone;
    if (signal.aborted || this.#response.headersSent) {
      this.#notes.outcome = "cut";
      this.#notes.reason = signal.aborted ? "client_gone" : "upstream_gone";
      this.#gone.abort();
      this.#response.destroy();
      return;
    }
    this.#notes.outcome = "failed";
    if (error instanceof UpstreamFailure) {
      this.#notes.reason = error.code;
      const message = `${providerFacts[provider].title} cannot be reached (${error.code}).`;
      return this.#reply.send(502, passingBody(provider, message), {});
    }
    const code = errno(error) ?? "internal";
    this.#notes.reason = code;
    this.#parts.tell({
      type: "trouble",
      at: this.#parts.now().toISOString(),
      message: `a request failed: ${code}`,
    });
    this.#reply.send(500, passingBody(provider, `The gateway failed (${code}).`), {});
  }
}
