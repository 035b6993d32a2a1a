import { createHash } from "node:crypto";
import { noTokens, type Part, type Reply, type Tokens } from "../scenario/reply.ts";
import type { EventStream } from "../server/sse.ts";
import { type OutputItem, outputItem } from "./output-item.ts";

type Shown = Exclude<Part, { kind: "wait" }>;

export const garbageText =
  'event: response.output_text.delta\ndata: {"type":"response.output_te{{{ \u0000\n\nno event at all\n\n';

/** OpenAI has no reply that declines: it is the request that was not right. */
const refusal = {
  code: "invalid_prompt",
  message: "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
};

/** A reply as the events of a stream. */
export async function streamResponse(stream: EventStream, model: string, reply: Reply): Promise<void> {
  const sender = new ResponseSender(stream, responseId(reply));
  const begun = { ...envelope(sender.id, model), status: "in_progress", output: [], usage: null };
  sender.send("response.created", { response: begun });
  sender.send("response.in_progress", { response: begun });
  const shown = reply.parts.filter((part) => part.kind !== "wait").length;
  for (const part of reply.parts) {
    if (part.kind === "wait") await stream.wait(part.ms);
    else if (reply.ending === "cut" && sender.items.length === shown - 1) return sender.cut(part);
    else if (part.kind !== "refusal") await sender.item(part);
  }
  if (reply.ending === "garbage") stream.raw(garbageText);
  else if (reply.stop === "refusal") sender.send("response.failed", { response: failed(sender.id, model) });
  else
    sender.send("response.completed", { response: completed(sender.id, model, sender.items, reply.tokens) });
  stream.end();
}

export function wholeResponse(model: string, reply: Reply): object {
  const id = responseId(reply);
  if (reply.stop === "refusal") return failed(id, model);
  const items = reply.parts.flatMap((part, index) =>
    part.kind === "wait" || part.kind === "refusal" ? [] : [outputItem(part, `${id}_${index}`).done],
  );
  return completed(id, model, items, reply.tokens);
}

/** Everything is told once, at the end. */
export function toldTokens({ ending, stop, tokens }: Reply): Tokens {
  return ending === "whole" && stop !== "refusal" ? tokens : noTokens;
}

/** Numbers the events, and keeps the items for the last of them. */
class ResponseSender {
  readonly id: string;
  readonly items: OutputItem[] = [];
  readonly #stream: EventStream;
  #number = 0;

  constructor(stream: EventStream, id: string) {
    this.#stream = stream;
    this.id = id;
  }

  send(type: string, fields: object): void {
    this.#stream.send({ type, sequence_number: this.#number, ...fields });
    this.#number += 1;
  }

  async item(part: Exclude<Shown, { kind: "refusal" }>): Promise<void> {
    const { begun, events, done } = outputItem(part, `${this.id}_${this.items.length}`);
    const at = { output_index: this.items.length };
    this.send("response.output_item.added", { ...at, item: begun });
    for (const event of events) this.send(event.type, { ...at, item_id: done.id, ...event });
    if (part.kind === "thinking") await this.#stream.waitWith(part.ms, { type: "keepalive" });
    this.send("response.output_item.done", { ...at, item: done });
    this.items.push(done);
  }

  /** Only the first half of it. */
  async cut(part: Shown): Promise<void> {
    if (part.kind !== "refusal") {
      const { begun, events, done } = outputItem(part, `${this.id}_${this.items.length}`);
      const at = { output_index: this.items.length };
      this.send("response.output_item.added", { ...at, item: begun });
      for (const event of events.slice(0, events.length / 2))
        this.send(event.type, { ...at, item_id: done.id, ...event });
    }
    await this.#stream.cut();
  }
}

function completed(id: string, model: string, output: readonly OutputItem[], tokens: Tokens) {
  return { ...envelope(id, model), status: "completed", output, usage: usage(tokens) };
}

function failed(id: string, model: string) {
  return { ...envelope(id, model), status: "failed", output: [], error: refusal, usage: null };
}

function envelope(id: string, model: string) {
  return { id, object: "response", created_at: 0, model, error: null, incomplete_details: null };
}

/** OpenAI counts what the cache gave or took as part of the input. */
function usage({ input, output, cacheRead, cacheWrite }: Tokens) {
  const all = input + cacheRead + cacheWrite;
  return {
    input_tokens: all,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: all + output,
  };
}

function responseId(reply: Reply): string {
  const text = JSON.stringify([reply.parts, reply.tokens]);
  return `resp_${createHash("sha256").update(text).digest("hex").slice(0, 24)}`;
}
