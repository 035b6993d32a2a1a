import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { withFileLock } from "./file-lock.ts";

const folder = mkdtempSync(join(tmpdir(), "ot-lock-"));
const path = join(folder, "lock");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("at most one is at work at a time, and all have their turn", async () => {
  let atWork = 0;
  let most = 0;
  const work = async () => {
    atWork += 1;
    most = Math.max(most, atWork);
    await new Promise(setImmediate);
    atWork -= 1;
    return atWork;
  };
  await Promise.all(Array.from({ length: 6 }, () => withFileLock(path, work)));
  expect(most).toBe(1);
});

it("is free again after an error", async () => {
  await expect(withFileLock(path, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(await withFileLock(path, async () => "free")).toBe("free");
});

it("another process has it until it is killed, whatever it was doing", async () => {
  const other = await otherHolder();
  const order: string[] = [];
  const mine = withFileLock(path, async () => order.push("mine"));
  order.push("killed");
  other.kill("SIGKILL");
  await mine;
  expect(order).toEqual(["killed", "mine"]);
});

it("who waits can give up, and holds nothing then", async () => {
  const other = await otherHolder();
  const giveUp = new AbortController();
  const waiting = withFileLock(path, async () => "never", giveUp.signal);
  giveUp.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  other.kill("SIGKILL");
  expect(await withFileLock(path, async () => "free")).toBe("free");
});

it("cannot be taken by other users: they cannot open it", async () => {
  await withFileLock(path, async () => {});
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

/** A process of its own that says when it has the lock, and keeps it. */
async function otherHolder(): Promise<ChildProcess> {
  const module = new URL("./file-lock.ts", import.meta.url).href;
  const script = `import { withFileLock } from ${JSON.stringify(module)};
    await withFileLock(${JSON.stringify(path)}, () => new Promise((resolve) => {
      process.stdout.write("held");
      setTimeout(resolve, 60_000);
    }));`;
  const words = ["--import", "tsx", "--input-type=module", "--eval", script];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return child;
}
