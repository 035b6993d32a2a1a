import { readdirSync, readFileSync } from "node:fs";
import { EmbeddedPostgres } from "@opentiger/orchestrator";
import { Sandboxd } from "@opentiger/sandboxd";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { instanceLauncher } from "../../packages/server/src/processes/launcher.ts";
import type { RunningServer } from "../../packages/server/src/server.ts";
import { temporaryServer } from "../../packages/server/src/temporary-server.ts";
import { askServer } from "../setup/ask-server.ts";
import { until } from "../setup/until.ts";

const instance = temporaryServer();
const sandboxd = new Sandboxd(instance.env);
let server: RunningServer;

/** Starts that wait until somebody has seen what it is like without the process; undefined: none has to. */
let held: (() => void)[] | undefined;

beforeAll(async () => {
  const usual = instanceLauncher(instance.env, sandboxd);
  const start: typeof usual.start = (...asked) => {
    if (held) held.push(() => usual.start(...asked));
    else usual.start(...asked);
  };
  const launcher = { ...usual, start };
  server = await instance.start({ processes: ["sandboxd"], launcher });
});

afterAll(async () => {
  await askServer(server.url, "/system/processes/stop-all", { method: "POST" });
  await instance.remove();
});

const shown = z.object({
  name: z.string(),
  state: z.string(),
  pid: z.number().nullable(),
  skipped: z.boolean(),
});

async function processOf(name: string): Promise<z.infer<typeof shown> | undefined> {
  const { json } = await askServer(server.url, "/system/processes");
  return z
    .object({ items: z.array(shown) })
    .parse(json)
    .items.find((each) => each.name === name);
}

const isRunning = async (name: string) => {
  const found = await processOf(name);
  return found?.state === "running" && found.pid !== null ? found.pid : undefined;
};

test("sandboxd is started with the server, and again where it is killed", async () => {
  const first = await until("it runs", () => isRunning("sandboxd"));
  process.kill(first, "SIGKILL");
  const second = await until("another one runs", async () => {
    const pid = await isRunning("sandboxd");
    return pid === first ? undefined : pid;
  });
  expect(await sandboxd.status()).toMatchObject({ pid: second });
  expect((await askServer(server.url, "/system/processes/sandboxd/log")).json).toMatchObject({
    file: sandboxd.paths.log,
    text: expect.stringContaining("sandboxd runs"),
  });
});

describe("whether it is ready", () => {
  const ready = () => askServer(server.url, "/health/ready");
  const answer = (database: boolean, daemon: boolean) => ({
    ready: database && daemon,
    checks: [
      { name: "database", ok: database, message: database ? null : expect.any(String) },
      { name: "sandboxd", ok: daemon, message: daemon ? null : expect.any(String) },
    ],
  });

  test("is said when everything answers", async () => {
    await until("sandboxd runs", () => isRunning("sandboxd"));
    expect(await ready()).toMatchObject({ status: 200, json: answer(true, true) });
  });

  test("is denied while sandboxd does not answer, and while it is gone", async () => {
    const pid = (await sandboxd.status())?.pid ?? 0;
    const starts: (() => void)[] = [];
    held = starts;
    process.kill(pid, "SIGSTOP");
    expect(await ready()).toMatchObject({ status: 503, json: answer(true, false) });
    process.kill(pid, "SIGKILL");
    expect(await ready()).toMatchObject({ status: 503, json: answer(true, false) });
    held = undefined;
    for (const start of starts) start();
    await until("it runs again", async () => (await ready()).status === 200);
  });

  test("is denied while the database does not answer", async () => {
    const found = await new EmbeddedPostgres(instance.env).status();
    const all = found.state === "running" ? [found.pid, ...childrenOf(found.pid)] : [];
    tell(all, "SIGSTOP");
    const answered = await ready().finally(() => tell(all, "SIGCONT"));
    expect(answered).toMatchObject({ status: 503, json: answer(false, true) });
    await until("it does again", async () => (await ready()).status === 200);
  });
});

test("A4 a worker that is wanted waits while tasks run in sandboxes, and works again on the host", async () => {
  const set = (value: string) =>
    askServer(server.url, "/config", { method: "PATCH", body: { EXECUTION_ENVIRONMENT: value } });
  await set("host");
  await askServer(server.url, "/system/processes/worker-1/start", { method: "POST" });
  const first = await until("it runs", () => isRunning("worker-1"));
  await set("sandbox");
  const waits = { name: "worker-1", state: "stopped", skipped: true, pid: null };
  await until("it has ended", async () => (await processOf("worker-1"))?.pid === null);
  expect(await processOf("worker-1")).toEqual(waits);
  // The next server knows that it is wanted, and that it is not to run.
  const next = await instance.start({ launcher: instanceLauncher(instance.env, sandboxd) });
  const { json } = await askServer(next.url, "/system/processes/worker-1/start", { method: "POST" });
  expect(json).toMatchObject(waits);
  expect(next.parts.processes.wants("worker-1")).toBe(true);
  await next.close();
  await set("host");
  expect(await until("it runs again", () => isRunning("worker-1"))).not.toBe(first);
});

/** Those that have ended meanwhile need not be told. */
function tell(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (!String(error).includes("ESRCH")) throw error;
    }
}

function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => parentOf(each) === pid);
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}
