import type { IncomingMessage } from "node:http";
import { type AgentGuess, agentOf } from "../conversation/opening.ts";
import type { Tokens } from "../scenario/reply.ts";

/** What was asked, and what was made of it. */
export interface RequestRecord {
  number: number;
  /** ISO. */
  at: string;
  method: string;
  path: string;
  api: "anthropic" | "openai" | undefined;
  agent: AgentGuess;
  /** undefined for what belongs to none, such as the list of models. */
  session: string | undefined;
  /** Not part of the conversation, such as a request for a title. */
  side: boolean;
  /** As it was sent: the whole value of `authorization`, else of `x-api-key`. */
  auth: string | undefined;
  model: string | undefined;
  /** Names of the tools that were offered. */
  tools: readonly string[];
  /** Of the tool calls since the request before. */
  toolResults: readonly { id: string; text: string; error: boolean }[];
  problems: readonly string[];
  /** The step of the scenario that decided the answer. */
  step: number | undefined;
  status: number;
  /** What the usage fields said. */
  tokens: Tokens | undefined;
  /** Whether the whole answer went out. */
  complete: boolean;
  bodyBytes: number;
  /** As it came; only its beginning where it is very long, and nothing of what is long past. */
  body: string;
}

/** Characters. A prompt of several megabytes is still whole. */
const largestBody = 16 * 1024 * 1024;
/** Of all bodies together. */
const bodiesKept = 128 * 1024 * 1024;
const recordsKept = 10_000;

/** The requests so far, oldest first. The oldest bodies are let go where there are too many. */
export class Records {
  readonly list: RequestRecord[] = [];
  #count = 0;
  #kept = 0;

  add({ method = "", url = "", headers }: IncomingMessage, body: string): RequestRecord {
    this.#count += 1;
    const record: RequestRecord = {
      number: this.#count,
      at: new Date().toISOString(),
      method,
      path: url,
      api: undefined,
      agent: agentOf(headers),
      session: undefined,
      side: false,
      auth: headers.authorization ?? [headers["x-api-key"]].flat()[0],
      model: undefined,
      tools: [],
      toolResults: [],
      problems: [],
      step: undefined,
      status: 0,
      tokens: undefined,
      complete: false,
      bodyBytes: Buffer.byteLength(body),
      body: body.slice(0, largestBody),
    };
    this.list.push(record);
    this.#kept += record.body.length;
    for (const old of this.list) {
      if (this.#kept <= bodiesKept) break;
      this.#kept -= old.body.length;
      old.body = "";
    }
    if (this.list.length > recordsKept) this.#kept -= this.list.shift()?.body.length ?? 0;
    return record;
  }
}
