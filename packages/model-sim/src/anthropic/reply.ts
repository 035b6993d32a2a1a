import { createHash } from "node:crypto";
import { halves, type Part, type Reply, type Tokens } from "../scenario/reply.ts";
import type { EventStream } from "../server/sse.ts";

type Block = Record<string, unknown> & { type: string };
type Shown = Exclude<Part, { kind: "wait" }>;

export const garbageText =
  'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{{{ \u0000\n\nno event at all\n\n';

/** A reply as the events of a stream. */
export async function streamMessage(stream: EventStream, model: string, reply: Reply): Promise<void> {
  const message = { ...envelope(model, reply), content: [], stop_reason: null, usage: usage(atStart(reply)) };
  stream.send({ type: "message_start", message });
  stream.send({ type: "ping" });
  const shown = reply.parts.filter((part) => part.kind !== "wait").length;
  let index = 0;
  for (const part of reply.parts) {
    if (part.kind === "wait") {
      await stream.wait(part.ms);
      continue;
    }
    if (reply.ending === "cut" && index === shown - 1) return cutBlock(stream, index, part);
    await streamBlock(stream, index, part);
    index += 1;
  }
  if (reply.ending === "garbage") stream.raw(garbageText);
  else {
    const delta = { stop_reason: stopReason(reply), stop_sequence: null };
    stream.send({ type: "message_delta", delta, usage: usage(reply.tokens) });
    stream.send({ type: "message_stop" });
  }
  stream.end();
}

export function wholeMessage(model: string, reply: Reply): object {
  const content = reply.parts.flatMap((part) => (part.kind === "wait" ? [] : [wholeBlock(part)]));
  return { ...envelope(model, reply), content, stop_reason: stopReason(reply), usage: usage(reply.tokens) };
}

/** The input is told at the start, the output at the end. */
export function toldTokens(reply: Reply): Tokens {
  return reply.ending === "whole" ? reply.tokens : atStart(reply);
}

function atStart({ tokens }: Reply): Tokens {
  return { ...tokens, output: 1 };
}

async function streamBlock(stream: EventStream, index: number, part: Shown): Promise<void> {
  stream.send({ type: "content_block_start", index, content_block: emptied(wholeBlock(part)) });
  for (const delta of deltas(part)) {
    stream.send({ type: "content_block_delta", index, delta });
    if (part.kind === "thinking") await stream.waitWith(part.ms / 2, { type: "ping" });
  }
  stream.send({ type: "content_block_stop", index });
}

/** Only the first half of it. */
async function cutBlock(stream: EventStream, index: number, part: Shown): Promise<void> {
  stream.send({ type: "content_block_start", index, content_block: emptied(wholeBlock(part)) });
  stream.send({ type: "content_block_delta", index, delta: deltas(part)[0] });
  await stream.cut();
}

function deltas(part: Shown): Block[] {
  if (part.kind === "thinking")
    return [
      { type: "thinking_delta", thinking: part.text },
      { type: "signature_delta", signature: digest(part.text) },
    ];
  if (part.kind !== "call") return halves(part.text).map((text) => ({ type: "text_delta", text }));
  const pieces = halves(JSON.stringify(part.call.input));
  return pieces.map((piece) => ({ type: "input_json_delta", partial_json: piece }));
}

function wholeBlock(part: Shown): Block {
  if (part.kind === "thinking")
    return { type: "thinking", thinking: part.text, signature: digest(part.text) };
  if (part.kind !== "call") return { type: "text", text: part.text };
  const { id, name, input } = part.call;
  return { type: "tool_use", id, name, input };
}

/** As a block begins, before its content comes. */
function emptied(block: Block): Block {
  if (block.type === "text") return { type: "text", text: "" };
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" };
  return { ...block, input: {} };
}

function stopReason({ stop }: Reply): string {
  return { end: "end_turn", tool: "tool_use", refusal: "refusal" }[stop];
}

function envelope(model: string, reply: Reply) {
  const id = `msg_${digest(JSON.stringify([reply.parts, reply.tokens])).slice(0, 24)}`;
  return { id, type: "message", role: "assistant", model, stop_sequence: null };
}

function usage({ input, output, cacheRead, cacheWrite }: Tokens) {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
