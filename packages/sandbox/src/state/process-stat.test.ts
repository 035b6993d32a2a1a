import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { until } from "../../../../tests/setup/until.ts";
import { processExists, processStat, startTimeOf } from "./process-stat.ts";

it("a process has the same start time for as long as it lives, and none afterwards", async () => {
  // The name of the program, which the kernel writes in front of the rest, has a bracket and a space.
  const child = spawn("bash", ["-c", "exec -a ') Z 1' sleep 1000"]);
  const pid = child.pid ?? 0;
  const startTime = startTimeOf(pid);
  expect(startTime).toMatch(/^\d+$/);
  expect(startTimeOf(pid)).toBe(startTime);
  expect(processExists(pid)).toBe(true);
  child.kill("SIGKILL");
  await once(child, "close");
  expect([startTimeOf(pid), processStat(pid)]).toEqual([undefined, undefined]);
});

it("one that has ended and that nobody fetches is there, and does not live", async () => {
  // The parent becomes a program that never fetches its child, which ends only then.
  const waits = 'until read -r name < /proc/$$/comm && [ "$name" = sleep ]; do :; done';
  const parent = spawn("bash", ["-c", `(${waits}) & echo $!; exec sleep 1000`], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [said] = await once(parent.stdout, "data");
  const pid = Number(String(said));
  const stat = await until("it has ended", () => {
    const found = processStat(pid);
    return found?.hasEnded ? found : undefined;
  });
  expect(stat).toMatchObject({ hasEnded: true });
  expect(processExists(pid)).toBe(true);
  expect(startTimeOf(pid)).toBeUndefined();
  parent.kill("SIGKILL");
  await once(parent, "close");
});
