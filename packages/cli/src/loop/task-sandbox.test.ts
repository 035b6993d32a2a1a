import { expect, it } from "vitest";
import { latestTaskSandbox } from "./task-sandbox.ts";

const task = { loop: "k3v9x0ab", number: 3 };

it("a shell of a task is in the sandbox of its agent, while others of the task are newer", () => {
  const all = [
    made("loop-k3v9x0ab-codex-3", "10:00"),
    made("loop-k3v9x0ab-claude-3", "10:01"),
    made("loop-k3v9x0ab-baseline-3", "10:02"),
    made("loop-k3v9x0ab-claude-3-judge", "10:03"),
    made("loop-k3v9x0ab-claude-4", "10:04"),
    made("loop-zzzzzzzz-claude-3", "10:05"),
    { ...made("loop-k3v9x0ab-opencode-3", "10:06"), own: false },
  ];
  expect(latestTaskSandbox(all, task)?.name).toBe("loop-k3v9x0ab-claude-3");
});

it("where no agent of a task has a sandbox there is none for a shell", () => {
  expect(latestTaskSandbox([made("loop-k3v9x0ab-baseline-3", "10:00")], task)).toBeUndefined();
});

function made(name: string, time: string) {
  return { name, own: true, createdAt: `2026-01-01T${time}:00.000Z` };
}
