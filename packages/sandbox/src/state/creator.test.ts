import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { creatorLives } from "./creator.ts";

const now = () => new Date().toISOString();

it("a creator lives as long as its process", async () => {
  const child = spawn("sleep", ["60"]);
  const record = { creatorPid: child.pid ?? 0, createdAt: now() };
  expect(creatorLives(record)).toBe(true);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(creatorLives(record)).toBe(false);
});

it("a younger process with the same number is another one", () => {
  const longAgo = new Date(Date.now() - 365 * 24 * 3_600_000).toISOString();
  expect(creatorLives({ creatorPid: process.pid, createdAt: longAgo })).toBe(false);
});
