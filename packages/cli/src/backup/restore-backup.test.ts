import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HostBackend, openState } from "@opentiger/sandbox";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeBackup } from "./make-backup.ts";
import { restoreBackup } from "./restore-backup.ts";

let folder: string;
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "ot-restore-")));
  mkdirSync(join(folder, "project"));
  env = { OPENTIGER_HOME: join(folder, "state") };
});

afterEach(async () => {
  await host().reset();
  rmSync(folder, { recursive: true, force: true });
});

it("nothing is restored over a host sandbox that runs, and what is known of it in the backup is there again", async () => {
  await made("kept");
  const file = await backup();
  await expect(restored(file)).rejects.toMatchObject({
    code: "not_allowed_now",
    message: expect.stringContaining("kept"),
    remedy: expect.stringContaining("opentiger sandbox stop kept"),
  });
  expect(await statuses()).toEqual(["kept running"]);
  await host().stop("kept");
  await restored(file);
  expect(await statuses()).toEqual(["kept stopped"]);
});

it("nothing is restored where a host sandbox would be nobody's afterwards, also one of the same name", async () => {
  await made("again");
  const file = await backup();
  await host().remove("again");
  await made("again");
  await host().stop("again");
  await expect(restored(file)).rejects.toMatchObject({
    code: "not_allowed_now",
    message: expect.stringContaining("1 of the sandboxes"),
  });
  expect(await statuses()).toEqual(["again stopped"]);
});

function host(): HostBackend {
  return new HostBackend(openState(join(folder, "state")));
}

async function made(name: string): Promise<void> {
  const workspaces = [{ path: join(folder, "project"), readOnly: false }];
  await (await host().create({ name, agent: "shell", workspaces })).close();
}

async function statuses(): Promise<string[]> {
  return (await host().list()).map(({ name, status }) => `${name} ${status}`);
}

async function backup(): Promise<string> {
  const file = join(folder, "whole.backup");
  await makeBackup(env, file, { say: () => {} });
  return file;
}

function restored(file: string): Promise<unknown> {
  return restoreBackup(env, file, { force: true, say: () => {} });
}
