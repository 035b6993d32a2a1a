import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { orphans } from "./orphans.ts";
import { until } from "./until.ts";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "ot-orphans-"));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

test("a process of ours is one as soon as its state folder is gone, and no sooner", async () => {
  const pid = await running(["-e", "setInterval(() => {}, 1000)"], { OPENTIGER_HOME: home });
  expect(found(pid)).toBe(false);
  rmSync(home, { recursive: true });
  expect(found(pid)).toBe(true);
});

test("a supervisor of the host is one, which carries no state folder", async () => {
  const file = join(home, "supervisor", "0123456789abcdef.cjs");
  mkdirSync(join(home, "supervisor"));
  writeFileSync(file, "setInterval(() => {}, 1000)");
  const pid = await running([file, "serve"], { OPENTIGER_SUPERVISOR: `{"home":"${home}/"}` });
  expect(found(pid)).toBe(false);
  rmSync(home, { recursive: true });
  expect(found(pid)).toBe(true);
});

function found(pid: number): boolean {
  return orphans().some((own) => own.pid === pid);
}

async function running(words: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(process.execPath, words, {
    env: { ...env, MARK: join(home, "mark") },
    stdio: "ignore",
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });
  await until("it runs", () => child.pid);
  return child.pid ?? 0;
}
