import { z } from "zod";
import { canonical, type Item } from "../conversation/item.ts";
import type { ModelRequest, OfferedTool } from "../conversation/model-request.ts";
import { withoutSurroundings } from "../conversation/surroundings.ts";

const textBlock = z.object({ type: z.literal("text"), text: z.string() });
const toolUse = z.object({
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: z.unknown(),
});
const toolResult = z.object({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  content: z
    .union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])
    .optional(),
  is_error: z.boolean().optional(),
});
/** Thoughts, pictures, and whatever comes next: they are taken, and left out of the conversation. */
const other = z.object({ type: z.string() });
const block = z.union([textBlock, toolUse, toolResult, other]);
type Block = z.infer<typeof block>;

const message = z.object({
  role: z.enum(["user", "assistant", "system"]),
  content: z.union([z.string(), z.array(block)]),
});

const tool = z.object({
  name: z.string(),
  input_schema: z.looseObject({ properties: z.record(z.string(), z.unknown()).default({}) }).optional(),
});

const messagesRequest = z.object({
  model: z.string(),
  max_tokens: z.number().int().positive(),
  messages: z.array(message).min(1),
  system: z.union([z.string(), z.array(textBlock)]).default(""),
  tools: z.array(tool).default([]),
  stream: z.boolean().default(false),
  metadata: z.object({ user_id: z.string().nullish() }).optional(),
  output_config: z
    .object({ format: z.object({ schema: z.record(z.string(), z.unknown()) }).optional() })
    .optional(),
});

/** A request to Anthropic's Messages. */
export function readMessages(body: unknown): ModelRequest {
  const request = messagesRequest.parse(body);
  const system =
    typeof request.system === "string" ? [request.system] : request.system.map(({ text }) => text);
  const middle = request.messages.filter(({ role }) => role === "system").flatMap(textsOf);
  return {
    model: request.model,
    stream: request.stream,
    system: [...system, ...middle].join("\n"),
    items: request.messages.flatMap(itemsOf),
    tools: request.tools.map(offered),
    schema: request.output_config?.format?.schema,
    strict: false,
    maxTokens: request.max_tokens,
    session: sessionIn(request.metadata?.user_id),
  };
}

function itemsOf({ role, content }: z.infer<typeof message>): Item[] {
  if (role === "system") return [];
  const blocks: Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return blocks.flatMap((each): Item[] => {
    if ("tool_use_id" in each) return [resultItem(each)];
    if ("input" in each)
      return [{ kind: "call", id: each.id, name: each.name, input: canonical(each.input) }];
    if (!("text" in each)) return [];
    const text = role === "user" ? withoutSurroundings(each.text) : each.text.trim();
    return text === "" ? [] : [{ kind: role, text }];
  });
}

function resultItem({
  tool_use_id: id,
  content = "",
  is_error: error = false,
}: z.infer<typeof toolResult>): Item {
  const text =
    typeof content === "string" ? content : content.map((part) => part.text ?? part.type).join("\n");
  return { kind: "result", id, text: withoutSurroundings(text), error };
}

function textsOf({ content }: z.infer<typeof message>): string[] {
  if (typeof content === "string") return [content];
  return content.flatMap((each) => ("text" in each ? [each.text] : []));
}

function offered({ name, input_schema: schema }: z.infer<typeof tool>): OfferedTool {
  const properties = Object.keys(schema?.properties ?? {});
  return { name, namespace: undefined, takes: "json", properties, schema };
}

/** Claude Code says it in JSON in the user's id. */
function sessionIn(userId: string | null | undefined): string | undefined {
  return /"session_id":"([^"]+)"/.exec(userId ?? "")?.[1];
}
