import { jsonOf } from "@opentiger/schema";
import { z } from "zod";

const message = z.object({ message: z.string() });
const count = z.number().int().nonnegative().default(0);

/** Of the whole conversation so far. What a cache gave or took is a part of the input. */
export const codexUsage = z.object({
  input_tokens: count,
  cached_input_tokens: count,
  cache_write_input_tokens: count,
  output_tokens: count,
});
export type CodexUsage = z.infer<typeof codexUsage>;

const text = z.object({ id: z.string(), text: z.string() });

const item = z.discriminatedUnion("type", [
  text.extend({ type: z.literal("agent_message") }),
  text.extend({ type: z.literal("reasoning") }),
  z.object({
    type: z.literal("command_execution"),
    id: z.string(),
    command: z.string(),
    aggregated_output: z.string().default(""),
    exit_code: z.number().int().nullish(),
    status: z.string(),
  }),
  z.object({
    type: z.literal("file_change"),
    id: z.string(),
    changes: z.array(z.object({ path: z.string(), kind: z.string() })),
    status: z.string(),
  }),
  z.object({
    type: z.literal("mcp_tool_call"),
    id: z.string(),
    server: z.string(),
    tool: z.string(),
    arguments: z.unknown(),
    result: z.object({ content: z.array(z.unknown()) }).nullish(),
    error: message.nullish(),
    status: z.string(),
  }),
  z.object({ type: z.literal("web_search"), id: z.string(), query: z.string() }),
  z.object({
    type: z.literal("todo_list"),
    id: z.string(),
    items: z.array(z.object({ text: z.string(), completed: z.boolean() })),
  }),
]);
export type CodexItem = z.infer<typeof item>;

/** What `codex exec --json` prints, as far as it is known; a line of which something is missing is not. */
export const codexEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("thread.started"), thread_id: z.string() }),
  z.object({ type: z.literal("turn.started") }),
  z.object({ type: z.literal("turn.completed"), usage: codexUsage }),
  z.object({ type: z.literal("turn.failed"), error: message }),
  z.object({ type: z.literal("error"), message: z.string() }),
  z.object({ type: z.literal("item.started"), item }),
  z.object({ type: z.literal("item.updated"), item }),
  z.object({ type: z.literal("item.completed"), item }),
]);
export type CodexEvent = z.infer<typeof codexEvent>;

/** undefined for a line that nobody knows. */
export function eventIn(line: string): CodexEvent | undefined {
  return codexEvent.safeParse(jsonOf(line)).data;
}
