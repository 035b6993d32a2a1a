import { expect, test } from "vitest";
import type { Item } from "./item.ts";
import { prefixProblem, replyProblems } from "./prefix.ts";

const before: Item[] = [
  { kind: "user", text: "go" },
  { kind: "call", id: "1", name: "Bash", input: "{}" },
  { kind: "result", id: "1", text: "ok", error: false },
];
const more: Item = { kind: "user", text: "more" };

test("what was there is there again, in front", () => {
  expect(prefixProblem([], before)).toBeUndefined();
  expect(prefixProblem(before, before)).toBeUndefined();
  expect(prefixProblem(before, [...before, more])).toBeUndefined();
});

test("what was changed, lost or put between is told with its place", () => {
  const result: Item = { kind: "result", id: "1", text: "other", error: false };
  expect(prefixProblem(before, [...before.slice(0, 2), result])).toContain("changed");
  expect(prefixProblem(before, before.slice(0, 2))).toContain("lost");
  expect(prefixProblem(before, [more, ...before])).toContain("at 1 of 3");
});

test("a reply's call may come back with more in it, or not at all, but not as another", () => {
  const tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const call = { id: "2", name: "Edit", namespace: undefined, input: { path: "a" } };
  const reply = { parts: [{ kind: "call", call } as const], stop: "tool", ending: "whole", tokens } as const;
  const back = (input: string): Item => ({ kind: "call", id: "2", name: "Edit", input });
  expect(replyProblems(reply, [back('{"all":false,"path":"a"}')])).toEqual([]);
  expect(replyProblems(reply, [more])).toEqual([]);
  expect(replyProblems(reply, [back('{"path":"b"}')])).toHaveLength(1);
});
