import type { AgentEvent } from "@opentiger/schema";
import { expect, it } from "vitest";
import { ToolLoop } from "./tool-loop.ts";

it("the same call with the same result so many times is a loop, whatever ids it has", () => {
  const loop = new ToolLoop(3);
  call(loop, "a", "npm test", "2 failed");
  call(loop, "b", "npm test", "2 failed");
  expect(loop.found).toBeUndefined();
  call(loop, "c", "npm test", "2 failed");
  expect(loop.found).toEqual({ tool: "Bash", times: 3 });
});

it("another input, another result or another call in between is progress", () => {
  const loop = new ToolLoop(2);
  call(loop, "a", "npm test", "2 failed");
  call(loop, "b", "npm test", "1 failed");
  call(loop, "c", "npm test -- one", "1 failed");
  call(loop, "d", "npm test", "1 failed");
  expect(loop.found).toBeUndefined();
});

it("calls made at once are each compared with the one whose result came before", () => {
  const loop = new ToolLoop(2);
  for (const id of ["a", "b"])
    loop.hear(event({ type: "tool_call", id, tool: "Read", kind: "read", summary: "", input: "x" }));
  loop.hear(event({ type: "tool_result", id: "b", ok: true, output: "1", exitCode: null }));
  expect(loop.found).toBeUndefined();
  loop.hear(event({ type: "tool_result", id: "a", ok: true, output: "1", exitCode: null }));
  expect(loop.found).toEqual({ tool: "Read", times: 2 });
});

it("results without a call, and calls without a result, do not pile up", () => {
  const loop = new ToolLoop(2);
  for (let count = 0; count < 2_000; count += 1)
    loop.hear(
      event({ type: "tool_call", id: String(count), tool: "Bash", kind: "command", summary: "", input: "x" }),
    );
  for (let count = 0; count < 3; count += 1)
    loop.hear(event({ type: "tool_result", id: "0", ok: true, output: "", exitCode: 0 }));
  expect(loop.found).toBeUndefined();
  expect(loop.lastWorked).toBe(true);
});

function call(loop: ToolLoop, id: string, input: string, output: string): void {
  loop.hear(event({ type: "tool_call", id, tool: "Bash", kind: "command", summary: "", input }));
  loop.hear(event({ type: "tool_result", id, ok: false, output, exitCode: 1 }));
}

type Unplaced<T> = T extends unknown ? Omit<T, "seq" | "at"> : never;

function event(fields: Unplaced<AgentEvent>): AgentEvent {
  return { ...fields, seq: 1, at: "2026-06-01T00:00:00.000Z" };
}
