import { halves, type Part } from "../scenario/reply.ts";

export interface OutputItem {
  id: string;
  type: string;
  [key: string]: unknown;
}

/** An item of the output: how it begins, what is told in between, and how it is in the end. */
export interface ItemEvents {
  begun: OutputItem;
  events: readonly { type: string; [key: string]: unknown }[];
  done: OutputItem;
}

export function outputItem(part: Exclude<Part, { kind: "wait" | "refusal" }>, id: string): ItemEvents {
  switch (part.kind) {
    case "text":
      return message(part.text, `msg_${id}`);
    case "thinking":
      return reasoning(part.text, `rs_${id}`);
    case "call":
      return typeof part.call.input === "string"
        ? customCall({ ...part.call, input: part.call.input }, `ctc_${id}`)
        : functionCall(part.call, `fc_${id}`);
  }
}

function message(text: string, id: string): ItemEvents {
  const item = { id, type: "message", role: "assistant" };
  const whole = { type: "output_text", text, annotations: [], logprobs: [] };
  const at = { content_index: 0 };
  return {
    begun: { ...item, status: "in_progress", content: [] },
    events: [
      { type: "response.content_part.added", ...at, part: { ...whole, text: "" } },
      ...halves(text).map((delta) => ({ type: "response.output_text.delta", ...at, delta })),
      { type: "response.output_text.done", ...at, text },
      { type: "response.content_part.done", ...at, part: whole },
    ],
    done: { ...item, status: "completed", content: [whole] },
  };
}

function reasoning(text: string, id: string): ItemEvents {
  const part = { type: "summary_text", text };
  const at = { summary_index: 0 };
  return {
    begun: { id, type: "reasoning", summary: [] },
    events: [
      { type: "response.reasoning_summary_part.added", ...at, part: { ...part, text: "" } },
      { type: "response.reasoning_summary_text.delta", ...at, delta: text },
      { type: "response.reasoning_summary_text.done", ...at, text },
      { type: "response.reasoning_summary_part.done", ...at, part },
    ],
    done: { id, type: "reasoning", summary: [part], encrypted_content: Buffer.from(text).toString("base64") },
  };
}

type Call = Extract<Part, { kind: "call" }>["call"];

function functionCall({ id: callId, name, namespace, input }: Call, id: string): ItemEvents {
  const args = JSON.stringify(input);
  const item = { id, type: "function_call", call_id: callId, name, ...(namespace ? { namespace } : {}) };
  return {
    begun: { ...item, status: "in_progress", arguments: "" },
    events: [
      ...halves(args).map((delta) => ({ type: "response.function_call_arguments.delta", delta })),
      { type: "response.function_call_arguments.done", arguments: args },
    ],
    done: { ...item, status: "completed", arguments: args },
  };
}

function customCall(
  { id: callId, name, namespace, input }: Call & { input: string },
  id: string,
): ItemEvents {
  const item = { id, type: "custom_tool_call", call_id: callId, name, ...(namespace ? { namespace } : {}) };
  return {
    begun: { ...item, status: "in_progress", input: "" },
    events: [
      ...halves(input).map((delta) => ({ type: "response.custom_tool_call_input.delta", delta })),
      { type: "response.custom_tool_call_input.done", input },
    ],
    done: { ...item, status: "completed", input },
  };
}
