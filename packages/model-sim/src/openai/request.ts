import { z } from "zod";
import { canonical, type Item } from "../conversation/item.ts";
import type { ModelRequest, OfferedTool } from "../conversation/model-request.ts";
import { withoutSurroundings } from "../conversation/surroundings.ts";
import { offeredTools, toolSchema } from "./tools.ts";

const textPart = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  refusal: z.string().optional(),
});
const content = z.union([z.string(), z.array(textPart)]);

const message = z.object({
  type: z.literal("message").default("message"),
  role: z.enum(["user", "assistant", "system", "developer"]),
  content,
});
const call = z.object({
  type: z.enum(["function_call", "custom_tool_call"]),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string().optional(),
  input: z.string().optional(),
});
const output = z.object({
  type: z.enum(["function_call_output", "custom_tool_call_output"]),
  call_id: z.string(),
  output: content,
});
const moreTools = z.object({ type: z.literal("additional_tools"), tools: z.array(toolSchema) });
/** Thoughts and whatever comes next: they are taken, and left out of the conversation. */
const other = z.object({ type: z.string() });
const inputItem = z.union([message, call, output, moreTools, other]);
type InputItem = z.infer<typeof inputItem>;

const responsesRequest = z.object({
  model: z.string(),
  input: z.union([z.string(), z.array(inputItem)]),
  instructions: z.string().nullish(),
  tools: z.array(toolSchema).nullish(),
  stream: z.boolean().nullish(),
  text: z
    .object({
      format: z
        .looseObject({
          type: z.string(),
          strict: z.boolean().optional(),
          schema: z.record(z.string(), z.unknown()).optional(),
        })
        .nullish(),
    })
    .nullish(),
  max_output_tokens: z.number().nullish(),
  prompt_cache_key: z.string().nullish(),
});

/** A request to OpenAI's Responses. */
export function readResponses(body: unknown): ModelRequest {
  const request = responsesRequest.parse(body);
  const input: InputItem[] =
    typeof request.input === "string"
      ? [{ type: "message", role: "user", content: request.input }]
      : request.input;
  const { format } = request.text ?? {};
  return {
    model: request.model,
    stream: request.stream ?? false,
    system: [request.instructions ?? "", ...input.flatMap(systemTexts)].join("\n"),
    items: input.flatMap(itemsOf),
    tools: [...offeredTools(request.tools ?? []), ...input.flatMap(toolsIn)],
    schema: format?.type === "json_schema" ? format.schema : undefined,
    strict: format?.strict ?? false,
    maxTokens: request.max_output_tokens ?? undefined,
    session: request.prompt_cache_key ?? undefined,
  };
}

function itemsOf(item: InputItem): Item[] {
  if ("role" in item) return messageItems(item);
  if ("output" in item)
    return [{ kind: "result", id: item.call_id, text: textOf(item.output), error: false }];
  if ("call_id" in item) {
    const { call_id: id, name } = item;
    return [{ kind: "call", id, name, input: item.input ?? canonical(parsed(item.arguments ?? "")) }];
  }
  return [];
}

function messageItems({ role, content: parts }: z.infer<typeof message>): Item[] {
  if (role !== "user" && role !== "assistant") return [];
  return partTexts(parts).flatMap((part): Item[] => {
    const text = role === "user" ? withoutSurroundings(part) : part.trim();
    return text === "" ? [] : [{ kind: role, text }];
  });
}

/** What is not the conversation; Codex tells its surroundings in the user's name. */
function systemTexts(item: InputItem): string[] {
  if (!("role" in item) || item.role === "assistant") return [];
  const texts = partTexts(item.content);
  return item.role === "user" ? texts.filter((text) => withoutSurroundings(text) === "") : texts;
}

function toolsIn(item: InputItem): OfferedTool[] {
  return "tools" in item ? offeredTools(item.tools) : [];
}

function textOf(parts: z.infer<typeof content>): string {
  return partTexts(parts).join("\n");
}

function partTexts(parts: z.infer<typeof content>): string[] {
  return typeof parts === "string" ? [parts] : parts.map((part) => part.text ?? part.refusal ?? part.type);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
