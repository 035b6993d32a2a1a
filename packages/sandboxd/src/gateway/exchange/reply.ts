import type { IncomingMessage, ServerResponse } from "node:http";
import type { Provider } from "../routes/provider.ts";
import { providerOf } from "../routes/routes.ts";
import type { Notes } from "./notes.ts";
import { passingBody, type Refusal, refusalBody, refusalStatus } from "./refusal.ts";

/** So long a client may go on sending what was refused, so that it reads why. */
const drainMs = 10_000;

/**
 * OpenCode takes a number such as 500 in the words of a refusal, be it of tokens, for a reason to try again, five times
 * and for a minute; it waits as long as it is told.
 */
const notAgain = { "x-should-retry": "false", "retry-after-ms": "1" };

/** What we answer ourselves. */
export class Reply {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #notes: Notes;

  constructor(request: IncomingMessage, response: ServerResponse, notes: Notes) {
    this.#request = request;
    this.#response = response;
    this.#notes = notes;
  }

  refuse(refusal: Refusal): void {
    this.#notes.outcome = "refused";
    this.#notes.reason = refusal.code;
    const body = refusalBody(providerOf(this.#request.url), refusal);
    this.send(refusalStatus, body, notAgain);
  }

  /** For what the client may simply try again. */
  later(provider: Provider, message: string): void {
    this.#notes.outcome = "failed";
    this.send(503, passingBody(provider, message), { "retry-after": "1" });
  }

  send(status: number, body: string, headers: Record<string, string>): void {
    if (this.#response.headersSent || this.#response.destroyed) return;
    const length = String(Buffer.byteLength(body));
    this.#response.writeHead(status, {
      ...headers,
      "content-type": "application/json",
      "content-length": length,
    });
    this.#response.end(body);
    if (this.#request.complete) return;
    this.#request.resume();
    setTimeout(() => !this.#request.complete && this.#request.destroy(), drainMs).unref();
  }
}
