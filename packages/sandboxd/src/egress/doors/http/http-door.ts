import { createServer, type IncomingMessage, type Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Target } from "../../host/target.ts";
import type { Refusal } from "../../refusal.ts";
import type { EgressSandbox } from "../../sandbox.ts";
import type { OpenWay, Way, Ways } from "../../ways.ts";
import { tunnel } from "../tunnel.ts";
import { type Answer, answerRequest, answerStream, failedAnswer, plain, refusedAnswer } from "./answer.ts";
import { forward } from "./forward.ts";
import { headClock } from "./head-clock.ts";
import {
  connectRequest,
  type ForwardRequest,
  originRequest,
  proxyRequest,
  type RequestProblem,
} from "./request.ts";
import { forwardUpgrade, isWebSocket } from "./upgrade.ts";

/** A connection on which HTTP requests come: to a proxy, or to one host that is already known. */
export interface Visit {
  sandbox: EgressSandbox;
  /** Undefined on the proxy's port, where every request says where it wants to go. */
  target: Target | undefined;
  /** Already open to that host; the first request uses it. */
  spare?: OpenWay;
}

const largestHead = 32 * 1024;

/** Between two requests of one connection. */
const keepAliveMs = 65_000;

/** Requests sent ahead without waiting for answers (apt does that); one more, and the connection ends. */
const mostPending = 32;

/**
 * Everything that speaks HTTP to us in the clear. Node's own strict parser reads it; every request is decided on
 * afresh, whatever connection it comes on.
 */
export class HttpDoor {
  readonly #ways: Ways;
  readonly #server: Server;
  readonly #visits = new WeakMap<Duplex, Visit>();
  readonly #pending = new WeakMap<Duplex, number>();

  constructor(ways: Ways) {
    this.#ways = ways;
    // It never listens: streams are handed to it. The Host header is checked by us, also where Node would not.
    this.#server = createServer({
      maxHeaderSize: largestHead,
      insecureHTTPParser: false,
      requireHostHeader: false,
      keepAliveTimeout: keepAliveMs,
    });
    this.#server.on("request", (request, response) => {
      this.#onRequest(request, response).catch(() => request.socket.destroy());
    });
    this.#server.on("connect", (request, stream, head) => {
      this.#onConnect(request, stream, head).catch(() => stream.destroy());
    });
    this.#server.on("upgrade", (request, stream, head) => {
      this.#onUpgrade(request, stream, head).catch(() => stream.destroy());
    });
    this.#server.on("clientError", (_error, stream) => this.#onMalformed(stream));
  }

  accept(visit: Visit, stream: Duplex): void {
    this.#visits.set(stream, visit);
    headClock(stream).start();
    stream.once("close", () => visit.spare?.link.cut());
    this.#server.emit("connection", stream);
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const stream = request.socket;
    const visit = this.#visits.get(stream);
    if (!visit || !this.#begin(stream, response)) return;
    const asked = readRequest(request, visit);
    if ("status" in asked) return answerRequest(response, this.#problem(visit, asked));
    const way = await this.#open(visit, asked.target);
    if (way.state !== "open") return answerRequest(response, answerFor(asked.target, way));
    forward(way, asked, request, response);
  }

  async #onConnect(request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    const visit = this.#visits.get(stream);
    if (!visit) return;
    headClock(stream).stop();
    if (visit.target) return answerStream(stream, plain(400, "This is not a proxy."));
    const asked = connectRequest(request);
    if ("status" in asked) return answerStream(stream, this.#problem(visit, asked));
    const { target } = asked;
    const { sandbox } = visit;
    if (head.length > 0) stream.unshift(head);
    await tunnel(this.#ways, sandbox, target, stream, {
      opened: () => stream.write("HTTP/1.1 200 Connection established\r\n\r\n"),
      refused: (refusal) => answerStream(stream, refusedAnswer(target, refusal)),
      failed: (reason) => answerStream(stream, failedAnswer(target, reason)),
      http: (spare) => this.accept({ sandbox, target, spare }, stream),
    });
  }

  async #onUpgrade(request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    const visit = this.#visits.get(stream);
    if (!visit) return;
    headClock(stream).stop();
    const asked = readRequest(request, visit);
    if ("status" in asked) return answerStream(stream, this.#problem(visit, asked));
    if (asked.body !== "none") {
      return answerStream(stream, plain(501, "A request with a body cannot change its protocol here."));
    }
    const way = await this.#open(visit, asked.target);
    if (way.state !== "open") return answerStream(stream, answerFor(asked.target, way));
    if (isWebSocket(request)) {
      if (head.length > 0) stream.unshift(head);
      return forwardUpgrade(way, asked, request, stream);
    }
    // Another protocol is an offer that we leave out: the request goes on as the plain one it also is.
    const response = new ServerResponse(request);
    response.assignSocket(request.socket);
    response.shouldKeepAlive = false;
    response.once("finish", () => stream.end());
    forward(way, asked, request, response);
  }

  /** An answer that is under way cannot be followed by another: then the end is the only thing left to say. */
  #onMalformed(stream: Duplex): void {
    if (!stream.writable || (this.#pending.get(stream) ?? 0) > 0) stream.destroy();
    else answerStream(stream, plain(400, "This is not a request that can be read in one way only."));
  }

  /** A way that is open already is used once; it was decided on just now, and is cut when the rules change. */
  async #open(visit: Visit, target: Target): Promise<Way> {
    const { spare } = visit;
    delete visit.spare;
    const usable = spare && !spare.socket.destroyed;
    const way = usable ? spare : await this.#ways.open(visit.sandbox, target, "request");
    if (way.state === "open") this.#ways.allowed(visit.sandbox, way.link);
    return way;
  }

  /** Notes that a request is being worked on; false when there are too many of them on this stream. */
  #begin(stream: Duplex, response: ServerResponse): boolean {
    const clock = headClock(stream);
    const pending = (this.#pending.get(stream) ?? 0) + 1;
    this.#pending.set(stream, pending);
    clock.stop();
    response.once("close", () => {
      const left = (this.#pending.get(stream) ?? 1) - 1;
      this.#pending.set(stream, left);
      if (left === 0 && !stream.destroyed) clock.start();
    });
    if (pending > mostPending) stream.destroy();
    return pending <= mostPending;
  }

  #problem(visit: Visit, problem: RequestProblem): Answer {
    const refusal: Refusal = {
      rule: problem.target ? "host-mismatch" : "invalid",
      why: `The request was refused: ${problem.reason}.`,
      remedy: undefined,
    };
    this.#ways.refused(visit.sandbox, problem.target, refusal);
    return problem.target ? refusedAnswer(problem.target, refusal) : plain(400, refusal.why);
  }
}

function readRequest(request: IncomingMessage, visit: Visit): ForwardRequest | RequestProblem {
  return visit.target ? originRequest(request, visit.target) : proxyRequest(request);
}

function answerFor(target: Target, way: Exclude<Way, OpenWay>): Answer {
  return way.state === "refused" ? refusedAnswer(target, way.refusal) : failedAnswer(target, way.reason);
}
