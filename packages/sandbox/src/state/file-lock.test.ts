import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { bundledModule } from "../../../../tests/setup/bundled-program.ts";
import { withFileLock } from "./file-lock.ts";

const folder = mkdtempSync(join(tmpdir(), "ot-lock-"));
const path = join(folder, "lock");
const as = { code: "git_failed" } as const;
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
  await Promise.all(Array.from({ length: 6 }, () => withFileLock(path, work, as)));
  expect(most).toBe(1);
});

it("is free again after an error", async () => {
  await expect(withFileLock(path, () => Promise.reject(new Error("broken")), as)).rejects.toThrow("broken");
  expect(await withFileLock(path, async () => "free", as)).toBe("free");
});

it("another process has it until it is killed, whatever it was doing", async () => {
  const other = await otherHolder();
  const order: string[] = [];
  const mine = withFileLock(path, async () => order.push("mine"), as);
  order.push("killed");
  other.kill("SIGKILL");
  await mine;
  expect(order).toEqual(["killed", "mine"]);
});

it("who waits can give up, and holds nothing then", async () => {
  const other = await otherHolder();
  const giveUp = new AbortController();
  const waiting = withFileLock(path, async () => "never", { ...as, signal: giveUp.signal });
  giveUp.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  other.kill("SIGKILL");
  expect(await withFileLock(path, async () => "free", as)).toBe("free");
});

it("that cannot be taken is told by its own name, and by what it is for", async () => {
  const known = process.env["PATH"];
  process.env["PATH"] = folder;
  try {
    const error = {
      code: "git_failed",
      message: expect.stringMatching(/lock cannot be locked: .*flock is missing/),
    };
    await expect(withFileLock(path, async () => {}, as)).rejects.toMatchObject(error);
  } finally {
    process.env["PATH"] = known;
  }
});

it("cannot be taken by other users: they cannot open it", async () => {
  await withFileLock(path, async () => {}, as);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

/** A process of its own that says when it has the lock, and keeps it. */
async function otherHolder(): Promise<ChildProcess> {
  const module = await bundledModule(new URL("./file-lock.ts", import.meta.url));
  const script = `import { withFileLock } from ${JSON.stringify(module)};
    await withFileLock(${JSON.stringify(path)}, () => new Promise((resolve) => {
      process.stdout.write("held");
      setTimeout(resolve, 60_000);
    }), ${JSON.stringify(as)});`;
  const words = ["--input-type=module", "--eval", script];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return child;
}
