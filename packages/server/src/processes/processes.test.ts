import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTimeOf } from "@opentiger/sandbox";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { until } from "../../../../tests/setup/until.ts";
import { ServerError } from "../errors.ts";
import type { Launcher } from "./launcher.ts";
import { Processes } from "./processes.ts";

const folder = mkdtempSync(join(tmpdir(), "ot-processes-"));
const started = new Set<number>();
const open: Processes[] = [];

const quick = { firstPauseMs: 20, maxPauseMs: 60, soundMs: 60_000, maxCrashes: 3, startMs: 60_000 };

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

afterAll(() => {
  for (const pid of started) kill(pid);
  rmSync(folder, { recursive: true, force: true });
});

/** Real processes that are known by a file, as those of openTiger are by their sockets. `broken-1` ends at once. */
function fileLauncher(name: string): Launcher & { starts: string[] } {
  const at = (process: string) => join(folder, `${name}-${process}`);
  const starts: string[] = [];
  return {
    starts,
    check: (process) => {
      if (!/^(sleeper|broken)-\d$/.test(process)) throw new ServerError("usage", `${process} is no process`);
    },
    status: async (process) => {
      if (!existsSync(at(process))) return undefined;
      const [pid = "", since] = readFileSync(at(process), "utf8").split(" ");
      if (startTimeOf(Number(pid)) !== since) return undefined;
      return {
        pid: Number(pid),
        version: "0.1.0",
        startedAt: new Date().toISOString(),
        ready: true,
        working: 0,
      };
    },
    start: (process, ended) => {
      starts.push(process);
      const words = process.startsWith("broken") ? ["-c", "exit 3"] : ["-c", "exec sleep 1000"];
      const child = spawn("sh", words, { detached: true, stdio: "ignore" });
      child.once("close", ended);
      child.unref();
      started.add(child.pid ?? 0);
      if (process.startsWith("sleeper"))
        writeFileSync(at(process), `${child.pid} ${startTimeOf(child.pid ?? 0)}`);
    },
    stop: async (process) => {
      if (!existsSync(at(process))) return;
      kill(Number(readFileSync(at(process), "utf8").split(" ")[0]));
      rmSync(at(process));
    },
    log: (process) => `${at(process)}.log`,
  };
}

function opened(
  launcher: Launcher,
  file: string,
  usual: readonly string[] = [],
  skipped: (name: string) => boolean = () => false,
  log: (line: string) => void = () => {},
): Processes {
  const settings = quick;
  const processes = Processes.open({
    launcher,
    file: join(folder, file),
    usual,
    skipped,
    log,
    settings,
    lookEveryMs: 10,
  });
  open.push(processes);
  return processes;
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

const stateOf = (processes: Processes, name: string) => processes.list().find((each) => each.name === name);

describe("processes", () => {
  it("that are killed are started again, and somebody is told", async () => {
    const processes = opened(fileLauncher("killed"), "killed.json", ["sleeper-1"]);
    const first = await until("it runs", () => stateOf(processes, "sleeper-1")?.pid);
    let told = 0;
    processes.onChange(() => {
      told += 1;
    });
    kill(first);
    const second = await until("another runs", () => {
      const { pid, state } = stateOf(processes, "sleeper-1") ?? {};
      return state === "running" && pid !== first ? pid : undefined;
    });
    expect(startTimeOf(second)).toBeDefined();
    expect(stateOf(processes, "sleeper-1")?.restarts).toBe(1);
    expect(told).toBeGreaterThan(0);
  });

  it("go on when the server ends, and are adopted by the next one", async () => {
    const launcher = fileLauncher("adopted");
    const first = opened(launcher, "adopted.json");
    await first.start("sleeper-1");
    const pid = await until("it runs", () => stateOf(first, "sleeper-1")?.pid);
    await first.close();
    const second = opened(fileLauncher("adopted"), "adopted.json");
    await until("it is seen", () => stateOf(second, "sleeper-1")?.pid === pid);
    expect(launcher.starts).toEqual(["sleeper-1"]);
    kill(pid);
    await until("the next one looks after it too", () => {
      const now = stateOf(second, "sleeper-1");
      return now?.state === "running" && now.pid !== pid;
    });
  });

  it("that end at once too often are not tried any more, until somebody says so", async () => {
    const launcher = fileLauncher("broken");
    const processes = opened(launcher, "broken.json");
    await processes.start("broken-1");
    await until("it is given up", () => stateOf(processes, "broken-1")?.state === "failed");
    expect(launcher.starts).toHaveLength(quick.maxCrashes);
    await processes.start("broken-1");
    await until("it is given up again", () => stateOf(processes, "broken-1")?.state === "failed");
    expect(launcher.starts).toHaveLength(2 * quick.maxCrashes);
  });

  it("that were stopped stay so, also for the next server", async () => {
    const launcher = fileLauncher("stopped");
    const first = opened(launcher, "stopped.json", ["sleeper-1"]);
    await until("it runs", () => stateOf(first, "sleeper-1")?.state === "running");
    expect(await first.stop("sleeper-1")).toMatchObject({ state: "stopped", pid: null });
    await first.close();
    const second = opened(launcher, "stopped.json", ["sleeper-1"]);
    expect(await second.find("sleeper-1")).toMatchObject({ state: "stopped" });
    expect(launcher.starts).toEqual(["sleeper-1"]);
  });

  it("that are skipped as things are wait without being tried, and run when they are not any more", async () => {
    const launcher = fileLauncher("skipped");
    let skips = true;
    const processes = opened(launcher, "skipped.json", ["sleeper-1", "sleeper-2"], (name) =>
      skips ? name === "sleeper-1" : name === "sleeper-2",
    );
    await until("the other one runs", () => stateOf(processes, "sleeper-2")?.state === "running");
    expect(stateOf(processes, "sleeper-1")).toMatchObject({ state: "stopped", restarts: 0 });
    skips = false;
    // One that is skipped from now on ends by itself, and that is no crash.
    kill(stateOf(processes, "sleeper-2")?.pid ?? 0);
    await until("they have changed places", () => {
      const states = processes.list().map(({ state }) => state);
      return states.join() === "running,stopped";
    });
    expect(launcher.starts).toEqual(["sleeper-2", "sleeper-1"]);
    expect(stateOf(processes, "sleeper-2")).toMatchObject({ restarts: 0, nextTryAt: null });
    expect(processes.wants("sleeper-2")).toBe(true);
  });

  it.each(["", '{"version":1,"wanted":["sleeper-1"', '{"version":2}'])(
    "are not started where it cannot be read which of them were stopped: %j",
    async (text) => {
      const launcher = fileLauncher("damaged");
      const lines: string[] = [];
      writeFileSync(join(folder, "damaged.json"), text);
      const processes = opened(launcher, "damaged.json", ["sleeper-1"], undefined, (line) =>
        lines.push(line),
      );
      expect(await processes.find("sleeper-1")).toMatchObject({ state: "stopped" });
      expect(processes.list()).toMatchObject([{ name: "sleeper-1", state: "stopped" }]);
      expect(launcher.starts).toEqual([]);
      expect(lines).toEqual([expect.stringContaining("damaged.json is damaged")]);
    },
  );

  it("of which one is unknown are started all the same, and nothing else with them", async () => {
    const launcher = fileLauncher("unknown");
    const lines: string[] = [];
    writeFileSync(join(folder, "unknown.json"), '{"version":1,"wanted":["gone-1","sleeper-2"]}');
    const usual = ["sleeper-1", "sleeper-2"];
    const processes = opened(launcher, "unknown.json", usual, undefined, (line) => lines.push(line));
    await until("the known one runs", () => stateOf(processes, "sleeper-2")?.state === "running");
    expect(launcher.starts).toEqual(["sleeper-2"]);
    expect(lines).toEqual([expect.stringContaining('"gone-1"')]);
  });

  it("are stopped together but for sandboxd, which their agents need", async () => {
    const launcher = { ...fileLauncher("together"), check: () => {} };
    const processes = opened(launcher, "together.json", ["sleeper-1", "sandboxd"]);
    await until("one runs", () => stateOf(processes, "sleeper-1")?.state === "running");
    await processes.stopAll();
    expect(processes.wants("sleeper-1")).toBe(false);
    expect(processes.wants("sandboxd")).toBe(true);
  });

  it("have names, and others are refused", async () => {
    const processes = opened(fileLauncher("named"), "named.json");
    await expect(processes.start("../../sh")).rejects.toMatchObject({ code: "usage" });
    expect(processes.list()).toEqual([]);
  });
});
