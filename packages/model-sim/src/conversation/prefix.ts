import type { Reply } from "../scenario/reply.ts";
import { canonical, type Item } from "./item.ts";

/**
 * Where a conversation no longer is what it was before: everything that was sent earlier has to be there again, as it
 * was and in front. undefined where it is.
 */
export function prefixProblem(before: readonly Item[], now: readonly Item[]): string | undefined {
  const at = before.findIndex((item, index) => canonical(item) !== canonical(now[index]));
  if (at === -1) return undefined;
  const is = now[at];
  const was = `${shown(before[at])} at ${at + 1} of ${before.length}`;
  return is ? `the conversation was changed: ${was} is now ${shown(is)}` : `the conversation lost ${was}`;
}

/**
 * Where the tool calls of the last reply came back as something else. A CLI may add what it takes for granted; and one
 * that was killed may know nothing of the reply.
 */
export function replyProblems(reply: Reply | undefined, newItems: readonly Item[]): string[] {
  const calls = (reply?.parts ?? []).flatMap((part) => (part.kind === "call" ? [part.call] : []));
  return calls.flatMap(({ id, name, input }) => {
    const back = newItems.find((item) => item.kind === "call" && item.id === id);
    if (back?.kind !== "call") return [];
    const same = back.name === name && holds(back.input, input);
    return same ? [] : [`the tool call ${id} came back changed: ${shown(back)}`];
  });
}

function holds(input: string, given: string | Readonly<Record<string, unknown>>): boolean {
  if (typeof given === "string") return input === given;
  // What is in a call item is the canonical JSON of an object, wherever the call had one.
  const read: unknown = JSON.parse(input);
  if (typeof read !== "object" || read === null) return false;
  const got = new Map<string, unknown>(Object.entries(read));
  return Object.entries(given).every(([key, value]) => canonical(got.get(key)) === canonical(value));
}

const shownLength = 80;

function shown(item: Item | undefined): string {
  const text = canonical(item);
  return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
}
