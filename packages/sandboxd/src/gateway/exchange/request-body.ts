import type { ClientRequest, IncomingMessage } from "node:http";

/**
 * Most prompts are some hundred kilobytes. What fits is held until the answer, so that it can be sent once more; a
 * sandbox decides how many requests it makes, so it is not much.
 */
const heldBytes = 1024 * 1024;

/** The APIs take 32 MB. */
export const largestBody = 64 * 1024 * 1024;

/** The body of a request: held whole where it is small, else passed on as it comes. */
export class RequestBody {
  /** Whether all of it is here. */
  readonly whole: boolean;
  readonly #start: Buffer;
  readonly #rest: IncomingMessage;

  private constructor(start: Buffer, rest: IncomingMessage, whole: boolean) {
    this.#start = start;
    this.#rest = rest;
    this.whole = whole;
  }

  /** Rejects when the client goes away first. */
  static read(request: IncomingMessage): Promise<RequestBody> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      const settle = (whole: boolean) => {
        request.off("data", onData).off("end", onEnd).off("close", onClose).off("error", reject);
        resolve(new RequestBody(Buffer.concat(chunks), request, whole));
      };
      const onData = (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes < heldBytes) return;
        request.pause();
        settle(false);
      };
      const onEnd = () => settle(true);
      const onClose = () => reject(new Error("the client went away"));
      request.on("data", onData).once("end", onEnd).once("close", onClose).once("error", reject);
    });
  }

  /** So far, or in all where it is whole. */
  get bytes(): number {
    return this.#start.length;
  }

  /** undefined where only the client knows, and did not say. */
  length(declared: string | undefined): number | undefined {
    if (this.whole) return this.#start.length;
    return declared === undefined ? undefined : Number(declared);
  }

  sendTo(upstream: ClientRequest): void {
    if (this.whole) {
      upstream.end(this.#start);
      return;
    }
    let sent = this.#start.length;
    const room = upstream.write(this.#start);
    this.#rest.on("data", (chunk: Buffer) => {
      sent += chunk.length;
      if (sent > largestBody) upstream.destroy(new Error("the request is too large"));
      else if (!upstream.write(chunk)) this.#rest.pause();
    });
    upstream.on("drain", () => this.#rest.resume());
    this.#rest.once("end", () => upstream.end());
    if (room) this.#rest.resume();
  }
}
