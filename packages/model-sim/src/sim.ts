import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Records, type RequestRecord } from "./server/records.ts";
import { answerRequest, type RouteOptions } from "./server/routes.ts";
import type { Sent, SessionReport } from "./server/session.ts";
import { type ScenarioOptions, Sessions } from "./server/sessions.ts";

export interface ModelSimOptions extends ScenarioOptions, RouteOptions {
  /** 0, the default: any free one. */
  port?: number;
  /** Told of each request when its answer has ended, in whichever way. */
  onRequest?: (record: RequestRecord) => void;
}

/** A scripted model on loopback. */
export interface ModelSim {
  /** Without a slash at its end; Anthropic's API is at /v1/messages, OpenAI's at /v1/responses and /responses. */
  readonly url: string;
  /** All requests so far, oldest first. */
  readonly requests: readonly RequestRecord[];
  sessions(): SessionReport[];
  /** Tokens that were told in usage fields, of all sessions together. */
  readonly sent: Sent;
  /** All that was wrong with what it was sent. */
  readonly problems: readonly string[];
  /** Requests under way are cut off. */
  close(): Promise<void>;
}

export async function startModelSim(options: ModelSimOptions = {}): Promise<ModelSim> {
  const running = new RunningSim(options);
  await running.listen(options.port ?? 0);
  return running;
}

class RunningSim implements ModelSim {
  readonly #options: ModelSimOptions;
  readonly #records = new Records();
  readonly #sessions: Sessions;
  readonly #closing = new AbortController();
  readonly #server = createServer((request, response) => void this.#take(request, response));

  constructor(options: ModelSimOptions) {
    this.#options = options;
    this.#sessions = new Sessions(options);
  }

  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, "127.0.0.1", resolve);
    });
  }

  get url(): string {
    // It listens on a port, so this is an AddressInfo.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get requests(): readonly RequestRecord[] {
    return this.#records.list;
  }

  get problems(): readonly string[] {
    return this.#records.list.flatMap(({ problems }) => problems);
  }

  get sent(): Sent {
    return this.#sessions.sent;
  }

  sessions(): SessionReport[] {
    return this.#sessions.reports;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Never throws: what goes wrong here is a problem of its own. */
  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    response.on("error", () => gone.abort());
    const signal = AbortSignal.any([gone.signal, this.#closing.signal]);
    const text = await bodyOf(request);
    if (text === undefined) return;
    const record = this.#records.add(request, text);
    for (const name of ["request-id", "x-request-id"]) response.setHeader(name, `req_sim_${record.number}`);
    try {
      await answerRequest({ request, text, record, response, signal }, this.#sessions, this.#options);
    } catch (error) {
      if (signal.aborted) return;
      record.problems = [...record.problems, `model-sim failed: ${String(error)}`];
      response.destroy();
    } finally {
      this.#options.onRequest?.(record);
    }
  }
}

/** undefined: the client left before its end. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  try {
    // A request without an encoding gives buffers.
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString("utf8");
}
