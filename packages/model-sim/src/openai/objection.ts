import type { ModelRequest } from "../conversation/model-request.ts";
import { strayResults, unansweredCalls } from "../conversation/tool-pairs.ts";
import { strictObjection } from "./strict-schema.ts";

/** What OpenAI would refuse a request for. */
export function openaiObjection({ items, schema, strict }: ModelRequest): string | undefined {
  const [call] = unansweredCalls(items);
  if (call !== undefined) return `No tool output found for function call ${call}.`;
  const [result] = strayResults(items);
  if (result !== undefined) return `No tool call found for function call output with call_id ${result}.`;
  const objection = strict && schema ? strictObjection(schema) : undefined;
  return objection && `Invalid schema for response_format: ${objection}`;
}
