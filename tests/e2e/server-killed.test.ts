import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { newLoop, newTask } from "../../packages/orchestrator/src/fixture/temporary-loops.ts";
import {
  appendEvent,
  type Database,
  firstRow,
  listTasks,
  openDatabase,
} from "../../packages/orchestrator/src/index.ts";
import { lockLoop } from "../../packages/orchestrator/src/state/locks.ts";
import { temporaryServer } from "../../packages/server/src/temporary-server.ts";
import { askServer } from "../setup/ask-server.ts";
import { bundledProgram } from "../setup/bundled-program.ts";
import { freePort } from "../setup/free-port.ts";
import { hearEvents, listeners } from "../setup/hear-events.ts";
import { until } from "../setup/until.ts";

const kills = 3;
const clients = 4;
const eventsBetween = 40;

const program = await bundledProgram(new URL("../../packages/server/src/main.ts", import.meta.url));

const instance = temporaryServer();
const other = temporaryServer();
let database: Database;
let url: string;
let env: NodeJS.ProcessEnv;
let server: ChildProcess;

beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  env = { ...instance.env, OPENTIGER_API_PORT: String(port) };
  // No dispatcher: nothing happens but what the test does.
  writeFileSync(join(instance.home, "processes.json"), JSON.stringify({ version: 1, wanted: [] }));
  database = await openDatabase({ env, program: "test" });
  server = await started();
});

afterAll(async () => {
  server.kill("SIGKILL");
  await database.close();
  await instance.remove();
  await other.remove();
});

test("kill -9 with clients that listen: each sees every event once, in the same order", async () => {
  const gone = new AbortController();
  const seen = Array.from({ length: clients }, () => [] as number[]);
  const listening = seen.map((ids) => hearEvents(url, ids, gone.signal));
  await until("all of them listen", async () => (await listeners(url)) === clients);
  const loops = [await newLoop(database, [newTask("a")]), await newLoop(database, [newTask("b")])];
  const written: number[] = [];
  const write = async (count: number) => {
    for (let each = 0; each < count; each += 1) {
      const loop = loops[each % loops.length]?.loop.id ?? "";
      written.push(await database.transaction((on) => appendEvent(on, { loop, type: "task.note" })));
    }
  };
  for (let kill = 0; kill < kills; kill += 1) {
    await write(eventsBetween);
    const exited = once(server, "exit");
    const writing = write(eventsBetween);
    server.kill("SIGKILL");
    await Promise.all([exited, writing]);
    server = await started();
  }
  await write(eventsBetween);
  const last = written.at(-1) ?? 0;
  await until("all of them have the last one", () => seen.every((ids) => ids.includes(last)));
  gone.abort();
  await Promise.all(listening);
  for (const ids of seen) {
    expect(new Set(ids).size, "no double").toBe(ids.length);
    expect(
      ids.filter((id) => written.includes(id)),
      "no gap",
    ).toEqual(written);
    expect(ids).toEqual(seen[0]);
  }
});

test("kill -9 in the middle of what has an idempotency key: it is not done again, and the answer says so", async () => {
  const { loop } = await newLoop(database, [newTask("a")]);
  const task = { title: "b", role: "worker", instructions: "Do.", needs: [], allowedPaths: ["b/**"] };
  const ask = () =>
    askServer(url, `/loops/${loop.id}/tasks`, {
      method: "POST",
      headers: { "idempotency-key": "cut-off" },
      body: task,
    });
  await database.transaction(async (on) => {
    // Nobody can add a task meanwhile.
    await lockLoop(on, loop.id);
    const cut = ask().catch(() => undefined);
    const begun = "select 1 as one from idempotency_keys where key = 'cut-off' and answer is null";
    await until("it has begun", () => firstRow(database, z.unknown(), begun));
    const exited = once(server, "exit");
    server.kill("SIGKILL");
    await exited;
    expect(await cut).toBeUndefined();
  });
  server = await started();
  const again = await ask();
  expect(again).toMatchObject({ status: 409, json: { code: "not_allowed_now", remedy: expect.any(String) } });
  expect((await listTasks(database, { loop: loop.id })).items).toHaveLength(1);
});

test("told to end, it ends, and says so to those who listen", async () => {
  const answer = await fetch(`${url}/events`);
  const exited = once(server, "exit");
  server.kill("SIGTERM");
  // The stream comes to its end, and is not cut.
  for await (const _ of answer.body ?? []);
  expect(await exited).toEqual([0, null]);
  server = await started();
});

test("a second server of the same instance leaves it to the first", async () => {
  const second = spawn(process.execPath, [program], { env, stdio: "ignore" });
  expect(await once(second, "exit")).toEqual([0, null]);
});

test("a server of another instance on the same port says that the port is taken", async () => {
  const second = spawn(process.execPath, [program], {
    env: { ...other.env, OPENTIGER_API_PORT: new URL(url).port },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  second.stdout?.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  expect(await once(second, "exit")).toEqual([73, null]);
  expect(said).toContain("listens on port");
});

/** Returns when it says that it is ready. */
async function started(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (!child.stdout) throw new Error("it has no output");
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes('"message":"ready"')) break;
  }
  child.stdout.resume();
  return child;
}
