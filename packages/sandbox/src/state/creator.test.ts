import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { until } from "../../../../tests/setup/until.ts";
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

it("a creator that has ended is dead, also where nobody has fetched it", async () => {
  const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec tail -f /dev/null"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [written] = (await once(parent.stdout, "data")) as [Buffer];
    const record = { creatorPid: Number(written.toString()), createdAt: now() };
    await until("its parent fetches nobody", () => stat(parent.pid).includes("(tail)"));
    process.kill(record.creatorPid, "SIGKILL");
    await until("it has ended", () => /\) Z /.test(stat(record.creatorPid)));
    expect(creatorLives(record)).toBe(false);
  } finally {
    parent.kill("SIGKILL");
  }
});

function stat(pid: number | undefined): string {
  return readFileSync(`/proc/${pid}/stat`, "utf8");
}

it("a younger process with the same number is another one", () => {
  const longAgo = new Date(Date.now() - 365 * 24 * 3_600_000).toISOString();
  expect(creatorLives({ creatorPid: process.pid, createdAt: longAgo })).toBe(false);
});
