import { jsonOf } from "@opentiger/schema";
import { z } from "zod";

const count = z.number().int().nonnegative().catch(0);

const finishedTool = z.discriminatedUnion("status", [
  z.object({
    status: z.literal("completed"),
    input: z.record(z.string(), z.unknown()),
    output: z.string(),
    title: z.string().optional(),
    metadata: z.record(z.string(), z.unknown()).default({}),
  }),
  z.object({ status: z.literal("error"), input: z.record(z.string(), z.unknown()), error: z.string() }),
]);

const toolPart = z.object({ tool: z.string(), callID: z.string(), state: finishedTool });
export type ToolPart = z.infer<typeof toolPart>;

/** OpenCode counts what the model thought beside what it said; both were its output. */
const stepTokens = z.object({
  input: count,
  output: count,
  reasoning: count,
  cache: z.object({ read: count, write: count }),
});
export type StepTokens = z.infer<typeof stepTokens>;

/** The fields that are known of some of its errors; which one it is says the name. */
const toldError = z.object({
  name: z.string(),
  data: z
    .object({
      message: z.string().optional(),
      statusCode: z.number().int().optional(),
      isRetryable: z.boolean().optional(),
      responseHeaders: z.record(z.string(), z.string()).optional(),
      responseBody: z.string().optional(),
    })
    .default({}),
});
export type ToldError = z.infer<typeof toldError>;

const about = { timestamp: z.number(), sessionID: z.string() };

/** What `opencode run --format json` prints. Tools are told of when they are done. */
const openCodeEvent = z.discriminatedUnion("type", [
  z.object({ ...about, type: z.literal("step_start") }),
  z.object({
    ...about,
    type: z.literal("text"),
    /** synthetic: OpenCode said it to the model. */
    part: z.object({ text: z.string(), synthetic: z.boolean().default(false) }),
  }),
  z.object({ ...about, type: z.literal("reasoning"), part: z.object({ text: z.string() }) }),
  z.object({ ...about, type: z.literal("tool_use"), part: toolPart }),
  z.object({
    ...about,
    type: z.literal("step_finish"),
    part: z.object({ reason: z.string(), tokens: stepTokens, cost: z.number().nonnegative().catch(0) }),
  }),
  z.object({ ...about, type: z.literal("error"), error: toldError }),
]);
export type OpenCodeEvent = z.infer<typeof openCodeEvent>;

/** undefined for a line that nobody knows. */
export function eventIn(line: string): OpenCodeEvent | undefined {
  return openCodeEvent.safeParse(jsonOf(line)).data;
}
