import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { carrierFolder, ensureCarrierFolder, removeCarrierFolder, socketFolder } from "./carrier-folder.ts";

const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newState(...below: string[]): string {
  const top = mkdtempSync(join(tmpdir(), "ot-c-"));
  made.push(top);
  const folder = join(top, ...below);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

describe("the folder for a sandbox's sockets", () => {
  it("can be entered by any uid, and lies in one that only its owner can enter", () => {
    const folder = ensureCarrierFolder(newState(), "0123456789ab");
    expect(statSync(folder).mode & 0o777).toBe(0o755);
    expect(statSync(dirname(folder)).mode & 0o777).toBe(0o700);
  });

  it("takes a socket although the state folder's path is too long for one", async () => {
    const state = newState("x".repeat(60), "y".repeat(60));
    const folder = ensureCarrierFolder(state, "0123456789ab");
    made.push(dirname(folder));
    expect(folder.startsWith(state)).toBe(false);
    expect(statSync(dirname(folder)).mode & 0o777).toBe(0o700);
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(join(folder, `4194304-${"f".repeat(12)}.session`), resolve);
    });
    server.close();
  });

  it("is there for the first who asks, also where the state folder is not", () => {
    const state = join(newState(), "x".repeat(60), "y".repeat(60));
    const folder = socketFolder(state);
    made.push(folder);
    expect(folder.startsWith(state)).toBe(false);
    expect([statSync(folder), statSync(state)].map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o700]);
  });

  it("stays where it is, whatever the environment says later", () => {
    const state = newState("x".repeat(60), "y".repeat(60));
    const folder = ensureCarrierFolder(state, "0123456789ab");
    made.push(dirname(folder));
    const before = process.env["XDG_RUNTIME_DIR"];
    process.env["XDG_RUNTIME_DIR"] = "/elsewhere";
    try {
      expect(carrierFolder(state, "0123456789ab")).toBe(folder);
    } finally {
      if (before === undefined) delete process.env["XDG_RUNTIME_DIR"];
      else process.env["XDG_RUNTIME_DIR"] = before;
    }
  });

  it("is made again after it was lost, and closed again after it was opened", () => {
    const state = newState();
    const folder = ensureCarrierFolder(state, "0123456789ab");
    chmodSync(dirname(folder), 0o777);
    rmSync(folder, { recursive: true });
    expect(ensureCarrierFolder(state, "0123456789ab")).toBe(folder);
    expect(statSync(dirname(folder)).mode & 0o777).toBe(0o700);
    removeCarrierFolder(state, "0123456789ab");
    expect(existsSync(folder)).toBe(false);
  });
});
