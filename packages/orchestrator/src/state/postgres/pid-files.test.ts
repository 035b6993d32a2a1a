import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../../../../../tests/setup/until.ts";
import { livePostmaster, removeStaleFiles } from "./pid-files.ts";
import { processesOn } from "./processes.ts";

let folder: string;
let place: { data: string; socketFolder: string };
let pidFile: string;
let socketLock: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ot-pids-"));
  place = { data: join(folder, "data"), socketFolder: join(folder, "socket") };
  for (const path of Object.values(place)) mkdirSync(path);
  pidFile = join(place.data, "postmaster.pid");
  socketLock = join(place.socketFolder, ".s.PGSQL.5432.lock");
});

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }
  rmSync(folder, { recursive: true, force: true });
});

describe("a process is the server of these data", () => {
  it("when it is called postgres and works in their folder", async () => {
    const pid = await start("postgres", place.data);
    name(pid);
    expect(livePostmaster(place)).toBe(pid);
    expect(processesOn(place.data)).toEqual([pid]);
  });

  it("not when it is called postgres and works on other data", async () => {
    name(await start("postgres", folder));
    expect(livePostmaster(place)).toBeUndefined();
  });

  it("not when it is somebody's shell in that folder", async () => {
    name(await start("sh", place.data));
    expect(livePostmaster(place)).toBeUndefined();
  });

  it("not after it was killed, also while nobody has taken note of its end", async () => {
    const pid = await startZombie();
    name(pid);
    expect(livePostmaster(place)).toBeUndefined();
  });
});

describe("files of a server that is gone", () => {
  it("are removed when another process has its number now", async () => {
    name(await start("sh", folder));
    removeStaleFiles(place);
    expect([existsSync(pidFile), existsSync(socketLock)]).toEqual([false, false]);
  });

  it("are removed when the other process is the server of other data", async () => {
    name(await start("postgres", folder));
    removeStaleFiles(place);
    expect(existsSync(pidFile)).toBe(false);
  });

  it("are removed when the number is a zombie's", async () => {
    name(await startZombie());
    removeStaleFiles(place);
    expect(existsSync(pidFile)).toBe(false);
  });

  it("are removed when they hold no number, as after a power cut", () => {
    writeFileSync(pidFile, "");
    removeStaleFiles(place);
    expect(existsSync(pidFile)).toBe(false);
  });

  it("are left to PostgreSQL when nobody has the number", async () => {
    const child = spawnIn("sh", place.data);
    child.kill("SIGKILL");
    await once(child, "exit");
    name(child.pid ?? 0);
    removeStaleFiles(place);
    expect(existsSync(pidFile)).toBe(true);
  });

  it("stay while any process still works on the data, whoever has the number", async () => {
    name(await start("sh", folder));
    await start("postgres", place.data);
    removeStaleFiles(place);
    expect([existsSync(pidFile), existsSync(socketLock)]).toEqual([true, true]);
  });
});

/** Writes the files as the server with this number would have. */
function name(pid: number): void {
  for (const path of [pidFile, socketLock]) writeFileSync(path, `${pid}\n${place.data}\n`);
}

async function start(program: "postgres" | "sh", cwd: string): Promise<number> {
  const child = spawnIn(program, cwd);
  await once(child.stdout ?? child, "data");
  return child.pid ?? 0;
}

/** A shell under that name, which says that it runs and then waits for an end of its input that never comes. */
function spawnIn(program: "postgres" | "sh", cwd: string): ChildProcess {
  const path = join(folder, program);
  if (!existsSync(path)) copyFileSync("/bin/sh", path);
  const child = spawn(path, ["-c", "echo; read line"], { cwd, stdio: ["pipe", "pipe", "inherit"] });
  children.push(child);
  return child;
}

/** Dead, and still a child of somebody who does not look. */
async function startZombie(): Promise<number> {
  // Its parent becomes a program that waits for no child.
  const script = "sleep 60 & echo $!; exec sleep 60";
  const child = spawn("/bin/sh", ["-c", script], { stdio: ["pipe", "pipe", "inherit"] });
  children.push(child);
  const [said] = await once(child.stdout, "data");
  const pid = Number(String(said));
  await until("its parent has changed", () => readFileSync(`/proc/${child.pid}/comm`, "utf8") === "sleep\n");
  process.kill(pid, "SIGKILL");
  await until("it is dead", () => readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z "));
  return pid;
}
