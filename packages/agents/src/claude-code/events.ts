import { jsonOf } from "@opentiger/schema";
import { z } from "zod";

const count = z.number().int().nonnegative().catch(0);

const usage = z.object({
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
});
export type ClaudeUsage = z.infer<typeof usage>;

const modelUsage = z.object({
  inputTokens: count,
  outputTokens: count,
  cacheReadInputTokens: count,
  cacheCreationInputTokens: count,
});

const text = z.object({ type: z.literal("text"), text: z.string() });
const thinking = z.object({ type: z.literal("thinking"), thinking: z.string() });
const toolUse = z.object({
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
});
export type ToolUse = z.infer<typeof toolUse>;

const toolResult = z.object({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  content: z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]).default(""),
  is_error: z.boolean().default(false),
});
export type ToolResult = z.infer<typeof toolResult>;

/** Thoughts that are not shown, pictures, and whatever comes next. */
const other = z.object({ type: z.string() }).transform(() => ({ type: "other" as const }));

const init = z.object({
  type: z.literal("system"),
  subtype: z.literal("init"),
  session_id: z.string(),
  model: z.string().nullish(),
});

/** A request that failed and is sent again. */
const apiRetry = z.object({
  type: z.literal("system"),
  subtype: z.literal("api_retry"),
  error_status: z.number().int().nullish(),
});

const rateLimit = z.object({
  type: z.literal("rate_limit_event"),
  rate_limit_info: z.object({ status: z.string(), resetsAt: z.number().nullish() }),
});

/** One block of an answer; all those of one answer have the same id, and the usage that was told at its beginning. */
const assistant = z.object({
  type: z.literal("assistant"),
  message: z.object({
    id: z.string(),
    model: z.string(),
    content: z.array(z.union([text, thinking, toolUse, other])),
    usage: usage.optional(),
  }),
  /** Of the call that started another agent, in what that one says. */
  parent_tool_use_id: z.string().nullish(),
  /** Claude Code's own word for what went wrong, in a message that no model wrote. */
  error: z.string().nullish(),
});

const user = z.object({
  type: z.literal("user"),
  message: z.object({ content: z.union([z.string(), z.array(z.union([toolResult, other]))]) }),
  /** What the tool itself gave, in a form of its own. */
  tool_use_result: z.unknown().optional(),
});

const result = z.object({
  type: z.literal("result"),
  subtype: z.string(),
  is_error: z.boolean(),
  session_id: z.string().nullish(),
  api_error_status: z.number().int().nullish(),
  stop_reason: z.string().nullish(),
  terminal_reason: z.string().nullish(),
  result: z.string().nullish(),
  errors: z.array(z.string()).nullish(),
  num_turns: z.number().int().nonnegative().nullish(),
  total_cost_usd: z.number().nonnegative().nullish(),
  /** Of everything since the start, other agents and requests beside the conversation included. */
  modelUsage: z.record(z.string(), modelUsage).default({}),
  permission_denials: z
    .array(z.object({ tool_name: z.string(), tool_input: z.record(z.string(), z.unknown()).catch({}) }))
    .default([]),
  structured_output: z.unknown().optional(),
});
export type ClaudeResult = z.infer<typeof result>;

/** The answer to what we send in front of the prompt. */
const controlResponse = z.object({ type: z.literal("control_response") });

/** How many thoughts, how far a task is, what it waits for: told again and again, and of no further use. */
const noise = z.object({
  type: z.literal("system"),
  subtype: z.enum(["thinking_tokens", "task_progress", "task_updated", "status"]),
});

/** What `claude -p --output-format stream-json` prints, as far as it is known. */
const claudeLine = z.union([
  init,
  apiRetry,
  noise,
  z.discriminatedUnion("type", [rateLimit, assistant, user, result, controlResponse]),
]);
export type ClaudeLine = z.infer<typeof claudeLine>;

/** undefined for a line that nobody knows. */
export function lineIn(line: string): ClaudeLine | undefined {
  return claudeLine.safeParse(jsonOf(line)).data;
}
