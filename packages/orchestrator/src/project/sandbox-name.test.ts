import { expect, it } from "vitest";
import { type LoopSandboxOf, readSandboxName, sandboxName } from "./sandbox-name.ts";

const loop = "k3v9x0ab";

it.each<[string, LoopSandboxOf]>([
  ["loop-k3v9x0ab-claude", { loop, kind: "loop", agent: "claude" }],
  ["loop-k3v9x0ab-prepare", { loop, kind: "prepare" }],
  ["loop-k3v9x0ab-baseline", { loop, kind: "baseline", task: null }],
  ["loop-k3v9x0ab-baseline-3", { loop, kind: "baseline", task: 3 }],
  ["loop-k3v9x0ab-codex-12", { loop, kind: "task", agent: "codex", task: 12 }],
  ["loop-k3v9x0ab-codex-12-judge", { loop, kind: "judge", agent: "codex", task: 12, part: null }],
  ["loop-k3v9x0ab-codex-12-judge-base", { loop, kind: "judge", agent: "codex", task: 12, part: "base" }],
])("B6 %s is made of what it is for, and says so again", (name, of) => {
  expect(sandboxName(of)).toBe(name);
  expect(readSandboxName(name)).toEqual(of);
});

it.each([
  "loop-k3v9-claude",
  "claude-project",
  "loop-k3v9x0ab",
  "xloop-k3v9x0ab-claude",
  "loop-k3v9x0ab-codex-x",
])("%s is no sandbox of a loop's", (name) => {
  expect(readSandboxName(name)).toBeUndefined();
});
