import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { collect } from "../../session/collect.ts";
import { openState } from "../../state/state.ts";
import { hostSandboxVariable, markedProcesses } from "../../supervisor/processes.ts";
import { HostBackend } from "./host-backend.ts";
import type { HostRecord } from "./host-record.ts";
import { endAll } from "./supervisor-process.ts";

/** For what never ends, and no claim: busy machines are slow. */
const netMs = 60_000;

let folder: string;
let workspace: string;
let backend: HostBackend;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "ot-host-")));
  workspace = join(folder, "project");
  mkdirSync(workspace);
  backend = new HostBackend(openState(join(folder, "state")));
});

afterEach(async () => {
  await backend.reset();
  rmSync(folder, { recursive: true, force: true });
});

describe("the host backend", () => {
  it("runs commands in the workspace and says that nothing is isolated", async () => {
    const said: string[] = [];
    const sandbox = await backend.create({ ...options("one"), onProgress: (line) => said.push(line) });
    const { exit, stdout } = await collect(await sandbox.exec(["pwd"]));
    expect(stdout.toString().trim()).toBe(workspace);
    expect(exit.code).toBe(0);
    expect(said.join()).toContain("nothing is isolated");
    expect(sandbox.weakness).toContain("host mode");
    await sandbox.close();
  });

  it("keeps a command running when its client is gone, for the next one to attach to", async () => {
    const first = await backend.create(options("two"));
    const execution = await first.exec(["sh", "-c", "sleep 0.3; echo late"], { id: "kept-for-later" });
    expect(execution.id).toBe("kept-for-later");
    await first.close();
    const second = await backend.open("two");
    const { stdout } = await collect(await second.attach("kept-for-later"));
    expect(stdout.toString()).toBe("late\n");
    await second.close();
  });

  it("takes a name once, and forgets it when the sandbox is removed", async () => {
    await (await backend.create(options("three"))).close();
    await expect(backend.create(options("three"))).rejects.toMatchObject({ code: "already_exists" });
    expect((await backend.list()).map(({ name, status }) => `${name} ${status}`)).toEqual(["three running"]);
    await backend.remove("three");
    expect(await backend.list()).toEqual([]);
    await expect(backend.open("three")).rejects.toMatchObject({ code: "not_found" });
  });

  it("removes the one that is meant, and not another that has its name by now", async () => {
    const first = await backend.create(options("again"));
    await first.close();
    await backend.remove("again");
    const second = await backend.create(options("again"));
    await second.close();
    await expect(backend.remove("again", { id: first.id })).rejects.toMatchObject({ code: "not_found" });
    expect((await backend.list()).map(({ id }) => id)).toEqual([second.id]);
    await backend.remove("again", { id: second.id });
    expect(await backend.list()).toEqual([]);
  });

  it("is not there any more for those who look while it is being removed", async () => {
    const sandbox = await backend.create(options("going"));
    const execution = await sandbox.exec(["sleep", "600"]);
    const removing = backend.remove("going");
    await expect(execution.exit).rejects.toMatchObject({ code: "session_lost" });
    await expect(backend.open("going")).rejects.toMatchObject({ code: "not_found" });
    await removing;
    await expect(backend.open("going")).rejects.toMatchObject({ code: "not_found" });
    expect(await backend.list()).toEqual([]);
  });

  it("ends everything it started when it is stopped, and starts again when it is opened", async () => {
    const sandbox = await backend.create(options("four"));
    const { stdout } = await collect(
      await sandbox.exec(["sh", "-c", "setsid sleep 1000 >/dev/null 2>&1 & echo $!"]),
    );
    const pid = Number(stdout.toString());
    await sandbox.close();
    await backend.stop("four");
    expect(isRunning(pid)).toBe(false);
    expect((await backend.list())[0]?.status).toBe("stopped");
    const again = await backend.open("four");
    expect((await collect(await again.exec(["true"]))).exit.code).toBe(0);
    await again.close();
  });

  it("ends by itself, with all that it runs, when its state folder is removed under it", async () => {
    const sandbox = await backend.create(options("forgotten"));
    const { stdout } = await collect(
      await sandbox.exec(["sh", "-c", "setsid sleep 1000 >/dev/null 2>&1 & echo $!"]),
    );
    await sandbox.exec(["sleep", "1000"]);
    await sandbox.close();
    const { id, supervisor } = (await backend.inspect("forgotten")) as unknown as HostRecord;
    const left = [supervisor?.pid ?? 0, Number(stdout.toString())];
    expect(left.map(isRunning)).toEqual([true, true]);
    rmSync(join(folder, "state"), { recursive: true });
    try {
      await vi.waitFor(() => expect(left.map(isRunning)).toEqual([false, false]), { timeout: netMs });
      expect(markedProcesses({ kind: "environment", variable: hostSandboxVariable, value: id })).toEqual([]);
    } finally {
      await endAll({ id, supervisor });
      backend = new HostBackend(openState(join(folder, "state")));
    }
  });

  it("that is removed while another one stops it is gone, for both", async () => {
    await (await backend.create(options("five"))).close();
    const stopping = backend.stop("five");
    await backend.remove("five");
    await stopping;
    expect(await backend.list()).toEqual([]);
  });

  it("refuses what it cannot do, with the remedy", async () => {
    await expect(backend.create({ ...options("five"), commit: "HEAD" })).rejects.toMatchObject({
      code: "usage",
      remedy: expect.stringContaining("--clone"),
    });
    await expect(backend.save()).rejects.toMatchObject({ code: "unsupported" });
    await expect(
      backend.create({ ...options("six"), workspaces: [{ path: "/", readOnly: false }] }),
    ).rejects.toMatchObject({
      code: "workspace_refused",
    });
  });
});

function options(name: string) {
  return { name, agent: "shell", workspaces: [{ path: workspace, readOnly: false }] } as const;
}

/** A zombie that nobody has fetched yet does not run. */
function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
