import type { ModelRequest } from "../conversation/model-request.ts";
import { strayResults, unansweredCalls } from "../conversation/tool-pairs.ts";

/** What Anthropic would refuse a request for. */
export function anthropicObjection({ items }: ModelRequest): string | undefined {
  const calls = unansweredCalls(items);
  if (calls.length > 0)
    return `messages: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${calls.join(", ")}.`;
  const [result] = strayResults(items);
  return result === undefined
    ? undefined
    : `messages: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${result}.`;
}
