import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { askCli } from "./cli-process.ts";

const ask = (script: string, signal = new AbortController().signal) =>
  askCli(["/bin/sh", "-c", script], { env: { PATH: process.env["PATH"] }, signal });

it("what a CLI says and how it ended is told", async () => {
  expect(await ask("echo out; echo err >&2; exit 3")).toEqual({ code: 3, stdout: "out\n", stderr: "err\n" });
});

it("what it leaves behind with its output open is neither waited for nor left", async () => {
  const { stdout } = await ask("sleep 1000 & echo $!");
  await expect.poll(() => lives(Number(stdout))).toBe(false);
});

it("a CLI that hangs ends with the signal, and all that it started", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ot-cli-"));
  const file = join(folder, "pids");
  const controller = new AbortController();
  const asked = ask(
    `setsid sleep 1000 & echo "$$ $!" > ${file}.new; mv ${file}.new ${file}; wait`,
    controller.signal,
  );
  await expect.poll(() => existsSync(file)).toBe(true);
  const pids = readFileSync(file, "utf8").trim().split(" ").map(Number);
  expect(pids.every(lives)).toBe(true);
  controller.abort(new Error("too long"));
  await expect(asked).rejects.toThrow("too long");
  await expect.poll(() => pids.some(lives)).toBe(false);
  rmSync(folder, { recursive: true });
});

it("a flood is cut, and one that is not there is an error", async () => {
  const { stdout } = await ask("head -c 1000000 /dev/zero");
  expect(stdout).toHaveLength(64 * 1024);
  const missing = askCli(["/no/such/cli"], { env: {}, signal: new AbortController().signal });
  await expect(missing).rejects.toMatchObject({ code: "ENOENT" });
});

/** One that has ended and that nobody has fetched yet does not live. */
function lives(pid: number): boolean {
  const path = `/proc/${pid}/stat`;
  return existsSync(path) && !/\) Z /.test(readFileSync(path, "utf8"));
}
