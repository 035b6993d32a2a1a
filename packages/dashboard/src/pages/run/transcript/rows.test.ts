import type { AgentEvent } from "@opentiger/schema";
import { expect, it } from "vitest";
import { rowsOf } from "./rows.ts";

const at = "2026-01-01T00:00:00.000Z";
const events: AgentEvent[] = [
  { type: "text", text: "first\nsecond", seq: 1, at },
  { type: "tool_call", id: "t", tool: "Bash", kind: "command", summary: "npm test", input: "{}", seq: 2, at },
  {
    type: "tool_result",
    id: "t",
    ok: false,
    output: "\u001b[31m1 failed\u001b[0m\nbye",
    exitCode: 1,
    seq: 3,
    at,
  },
  { type: "raw", stream: "stderr", line: "noise", seq: 4, at },
];
const none = { open: new Set<number>(), search: "" };

it("a text is a row a line, and a call is folded with its result", () => {
  expect(rowsOf(events, none).map(({ kind }) => kind)).toEqual(["say", "say", "tool", "raw"]);
  expect(rowsOf(events, none)[2]).toMatchObject({ open: false, result: { exitCode: 1 } });
});

it("what a person said stands apart, and says where the agent began anew for it", () => {
  const said: AgentEvent = { type: "message", text: "Stop.\nUse tabs.", anew: null, seq: 5, at };
  expect(rowsOf([said], none)).toMatchObject([
    { kind: "person", text: "Stop.", first: true, last: false },
    { kind: "person", text: "Use tabs.", first: false, last: true },
  ]);
  const rows = rowsOf([{ ...said, anew: "it cannot resume" }], none);
  expect(rows.at(-1)).toMatchObject({ kind: "mark", text: expect.stringContaining("it cannot resume") });
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
});

it("an open call shows what it printed, a row a line", () => {
  const rows = rowsOf(events, { ...none, open: new Set([2]) });
  expect(rows.filter(({ kind }) => kind === "output")).toHaveLength(2);
});

it("a search finds what is folded and coloured, unfolds it, and leaves the rest out", () => {
  const rows = rowsOf(events, { ...none, search: "1 FAILED" });
  expect(rows.map(({ kind }) => kind)).toEqual(["tool", "output", "output"]);
});

it("100,000 lines are rows in a moment, each with a name of its own", () => {
  const many = Array.from(
    { length: 100_000 },
    (_, index): AgentEvent => ({ type: "raw", stream: "stdout", line: `${index}`, seq: index + 1, at }),
  );
  const rows = rowsOf(many, none);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(100_000);
});
