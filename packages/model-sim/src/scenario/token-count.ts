import type { Item } from "../conversation/item.ts";
import type { Part, Tokens } from "./reply.ts";

/** Where a conversation starts: system prompt and tools. Round, so that a sum is checked at a glance. */
const ground = 1000;
const perItem = 100;

/**
 * What a reply costs, from the conversation and the reply alone: the same for each retry, on each machine. What was in
 * the request before comes from the cache, what the CLI added is new.
 */
export function tokensOf(items: readonly Item[], parts: readonly Part[]): Tokens {
  const lastReply = items.findLastIndex((item) => item.kind === "assistant" || item.kind === "call");
  const known = lastReply === -1 ? 0 : lastReply + 1;
  return {
    input: (items.length - known) * perItem,
    output: Math.max(1, Math.ceil(lengthOf(parts) / 4)),
    cacheRead: known === 0 ? 0 : ground + (known - 1) * perItem,
    cacheWrite: known === 0 ? ground : perItem,
  };
}

/** How much of a model's context a conversation takes: what is new in it, and what is cached. */
export function inputTokens(items: readonly Item[]): number {
  return ground + items.length * perItem;
}

function lengthOf(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => {
    if (part.kind === "wait") return sum;
    if (part.kind !== "call") return sum + part.text.length;
    const { input } = part.call;
    return sum + (typeof input === "string" ? input : JSON.stringify(input)).length;
  }, 0);
}
