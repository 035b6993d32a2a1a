import type { Item } from "./item.ts";

/** Tool calls that have no result. */
export function unansweredCalls(items: readonly Item[]): string[] {
  const results = new Set(items.flatMap((item) => (item.kind === "result" ? [item.id] : [])));
  return items.flatMap((item) => (item.kind === "call" && !results.has(item.id) ? [item.id] : []));
}

/** Results of calls that are not there. */
export function strayResults(items: readonly Item[]): string[] {
  const calls = new Set(items.flatMap((item) => (item.kind === "call" ? [item.id] : [])));
  return items.flatMap((item) => (item.kind === "result" && !calls.has(item.id) ? [item.id] : []));
}
