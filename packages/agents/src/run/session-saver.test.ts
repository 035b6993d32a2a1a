import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox } from "@opentiger/sandbox";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { commandDriver } from "../command/command-driver.ts";
import type { SessionKeeping } from "../driver.ts";
import { SessionSaver } from "./session-saver.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ot-saver-"));
  vi.useFakeTimers({ toFake: ["Date"] });
});

afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

it("a conversation is saved now and then, not at every word", async () => {
  let saved = 0;
  const saver = saverWith(async () => {
    saved += 1;
    return Buffer.from(`version ${saved}`);
  });
  saver.nowAndThen();
  expect(saved).toBe(0);
  pass(10_000);
  saver.nowAndThen();
  saver.nowAndThen();
  expect(saved).toBe(1);
  await vi.waitFor(() => expect(kept()).toBe("version 1"));
  saver.nowAndThen();
  expect(saved).toBe(1);
  expect(await saver.atEnd()).toBe(true);
  expect(kept()).toBe("version 2");
});

it("one that takes long to save is saved less often", async () => {
  let saved = 0;
  const saver = saverWith(async () => {
    saved += 1;
    pass(30_000);
    return Buffer.from("long");
  });
  pass(10_000);
  saver.nowAndThen();
  await vi.waitFor(() => expect(kept()).toBe("long"));
  pass(60_000);
  saver.nowAndThen();
  expect(saved).toBe(1);
  pass(300_000);
  saver.nowAndThen();
  expect(saved).toBe(2);
});

it("one that cannot be saved leaves what was kept before, and ends nothing", async () => {
  let fails = false;
  const saver = saverWith(async () => {
    if (fails) throw new Error("the sandbox is gone");
    return Buffer.from("before");
  });
  pass(10_000);
  saver.nowAndThen();
  await vi.waitFor(() => expect(kept()).toBe("before"));
  fails = true;
  expect(await saver.atEnd()).toBe(true);
  expect(kept()).toBe("before");
});

it("nothing is kept where there is no place for it or nothing to keep", async () => {
  expect(await saverWith(async () => undefined).atEnd()).toBe(false);
  expect(await saverWith(async () => Buffer.from("x"), null).atEnd()).toBe(false);
  expect(kept()).toBeUndefined();
});

function saverWith(save: SessionKeeping["save"], place: string | null = folder): SessionSaver {
  return new SessionSaver({
    driver: { ...commandDriver({ command: ["true"] }), session: { save, restore: async () => {} } },
    place: { backend: "host", cwd: "/", home: "/", folder: "/", env: {} },
    folder: place ?? undefined,
    // What saves here asks nothing of it.
    sandbox: () => ({}) as Sandbox,
    session: () => "the-session",
  });
}

function kept(): string | undefined {
  const file = join(folder, "command-the-session");
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}
