import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
} from "node:http";
import { type Agent as HttpsAgent, request as requestTls } from "node:https";
import type { LookupFunction } from "node:net";
import { apiLookup } from "./lookup.ts";
import { ProxiedAgent } from "./proxied-agent.ts";

/** A model may think this long before its first byte; the CLIs give up after ten minutes. */
const silenceMs = 15 * 60_000;

/** Idle connections are closed by us before the other side does it in the middle of a request. */
const idleMs = 50_000;
const idleConnections = 16;

export interface UpstreamRequest {
  url: URL;
  method: string;
  headers: OutgoingHttpHeaders;
  signal: AbortSignal;
  send: (upstream: ClientRequest) => void;
}

/** No answer was to be had. */
export class UpstreamFailure extends Error {
  override readonly name = "UpstreamFailure";
  readonly code: string;
  /** The connection had been idle and was closed meanwhile: nothing was done there, and a new one may be tried. */
  readonly stale: boolean;

  constructor(error: NodeJS.ErrnoException, reused: boolean) {
    super(error.message, { cause: error });
    this.code = error.code ?? "no answer";
    this.stale = reused && (this.code === "ECONNRESET" || this.code === "EPIPE");
  }
}

/** The connections to the models' APIs, kept open between requests, through the host's proxy where it has one. */
export class Upstream {
  readonly #plain: HttpAgent;
  readonly #tls: HttpsAgent;
  readonly #lookup: LookupFunction;

  constructor(env: NodeJS.ProcessEnv) {
    const kept = {
      keepAlive: true,
      maxFreeSockets: idleConnections,
      timeout: idleMs,
      scheduling: "lifo",
    } as const;
    this.#lookup = apiLookup(env);
    this.#plain = new HttpAgent(kept);
    // Said here, so that no variable of the environment can turn it off.
    this.#tls = new ProxiedAgent(env, { ...kept, rejectUnauthorized: true });
  }

  /** Resolves with the head of the answer. */
  ask({ url, method, headers, signal, send }: UpstreamRequest): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const options = { method, headers, signal, timeout: silenceMs, lookup: this.#lookup };
      const upstream =
        url.protocol === "https:"
          ? requestTls(url, { ...options, agent: this.#tls })
          : request(url, { ...options, agent: this.#plain });
      upstream.once("response", resolve);
      upstream.once("timeout", () => upstream.destroy(new Error("the model's API fell silent")));
      // Stays for the life of the request: an error after the head ends the answer's stream, which is listened to.
      upstream.on("error", (error) => reject(new UpstreamFailure(error, upstream.reusedSocket)));
      send(upstream);
    });
  }

  close(): void {
    this.#plain.destroy();
    this.#tls.destroy();
  }
}
