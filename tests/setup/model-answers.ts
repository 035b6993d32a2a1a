import type { IncomingMessage, ServerResponse } from "node:http";

export const modelSentence = "The model was reached.";

/** Says one sentence, whatever is asked, in the words of Anthropic's and OpenAI's APIs. false: that was no such question. */
export function answerAsModel(request: IncomingMessage, body: string, response: ServerResponse): boolean {
  const path = (request.url ?? "").split("?")[0] ?? "";
  if (request.method === "POST" && path.endsWith("/v1/messages")) messages(body, response);
  else if (request.method === "POST" && path.endsWith("/responses")) responses(body, response);
  else if (request.method === "POST" && path.endsWith("/count_tokens")) response.end(`{"input_tokens":10}`);
  else if (request.method === "GET" && path.endsWith("/models")) response.end(`{"data":[],"models":[]}`);
  else return false;
  return true;
}

/** What a question has to contain for its answer to take two seconds. */
export const slowly = "take your time";
const slowParts = 20;
const slowMs = 100;

function messages(body: string, response: ServerResponse): void {
  const { model } = JSON.parse(body) as { model: string };
  const part = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: modelSentence } };
  const parts = body.includes(slowly) ? Array.from({ length: slowParts }, () => part) : [part];
  const usage = { input_tokens: 1000, output_tokens: 10 };
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    usage,
  };
  send(response, [
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...parts,
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
    { type: "message_stop" },
  ]);
}

function responses(body: string, response: ServerResponse): void {
  const { model } = JSON.parse(body) as { model: string };
  const content = [{ type: "output_text", text: modelSentence, annotations: [] }];
  const item = { type: "message", role: "assistant", id: "item_1", status: "completed", content };
  const usage = { input_tokens: 1000, output_tokens: 10, total_tokens: 1010 };
  send(response, [
    { type: "response.created", response: { id: "resp_1", model, status: "in_progress" } },
    { type: "response.output_item.done", output_index: 0, item },
    {
      type: "response.completed",
      response: { id: "resp_1", model, status: "completed", output: [item], usage },
    },
  ]);
}

function send(
  response: ServerResponse,
  events: readonly ({ type: string } & Record<string, unknown>)[],
): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  next(events);

  function next([event, ...rest]: typeof events): void {
    if (!event) return void response.end();
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    if (events.length > slowParts) setTimeout(() => next(rest), slowMs);
    else next(rest);
  }
}
