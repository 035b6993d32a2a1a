import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { temporaryInstance } from "../../packages/orchestrator/src/fixture/temporary-database.ts";
import type { Database } from "../../packages/orchestrator/src/state/database.ts";
import type { Wake } from "../../packages/orchestrator/src/state/notifications.ts";
import { livePostmaster } from "../../packages/orchestrator/src/state/postgres/pid-files.ts";
import { processesOn } from "../../packages/orchestrator/src/state/postgres/processes.ts";
import { allRows } from "../../packages/orchestrator/src/state/rows.ts";
import { bundledProgram } from "../setup/bundled-program.ts";
import { soak } from "../setup/soak.ts";
import { until } from "../setup/until.ts";

const kills = soak ? 200 : 12;
const writers = 4;

/** Long enough for writes, a recovery or the middle of one. */
const longestPauseMs = 400;

const retryMs = 10;

/** Its processes end by themselves when the first of them was killed. */
const goneMs = 20_000;

const instance = temporaryInstance();
const { place } = instance.postgres;
const program = await bundledProgram(new URL("./postgres-starter.ts", import.meta.url));
let database: Database;

afterAll(() => instance.remove());

test("attack 33 kill -9 of the process that makes the database: the next one makes it, and removes what was left", async () => {
  const first = starter();
  const exited = once(first, "exit");
  await until("it is being made", () => existsSync(place.folder) && unfinished().length > 0);
  first.kill("SIGKILL");
  await exited;
  database = await instance.open();
  expect((await database.query("select count(*) as n from system_config")).rows).toEqual([{ n: 0 }]);
  await database.query("create table kept (writer int, n int, primary key (writer, n))");
});

test("kill -9 of the process that started the server: the server lives, and the next process adopts it", async () => {
  await instance.postgres.stop();
  const first = starter();
  const exited = once(first, "exit");
  const pid = await until("the server runs", () => livePostmaster(place));
  first.kill("SIGKILL");
  await exited;
  await instance.postgres.ensure();
  expect(livePostmaster(place)).toBe(pid);
});

test("cold starts of several processes at the same time end with one server", async () => {
  await instance.postgres.stop();
  const starters = [1, 2, 3].map(() => starter());
  const codes = await Promise.all(starters.map(async (child) => (await once(child, "exit"))[0] as unknown));
  expect(codes).toEqual([0, 0, 0]);
  expect(unfinished()).toEqual([]);
  expect(await instance.postgres.status()).toMatchObject({ state: "running", ready: true });
});

test(`kill -9 of the server, ${kills} times while rows are written: nothing that was acknowledged is lost`, async () => {
  const acknowledged = new Set<string>();
  const stop = new AbortController();
  const writing = Array.from({ length: writers }, (_, writer) => write(writer, acknowledged, stop.signal));
  try {
    for (let kill = 0; kill < kills; kill++) await killWhile(acknowledged, kill % 2 === 1);
  } finally {
    stop.abort();
  }
  const attempted = await Promise.all(writing);
  const shape = z.object({ writer: z.number(), n: z.number() });
  const rows = await answered(() => allRows(database, shape, "select writer, n from kept"));
  const there = new Set(rows.map(({ writer, n }) => `${writer}/${n}`));
  expect([...acknowledged].filter((row) => !there.has(row))).toEqual([]);
  expect(rows.filter(({ writer, n }) => n > (attempted[writer] ?? 0))).toEqual([]);
  expect(acknowledged.size).toBeGreaterThan(kills);
}, 1_200_000);

test("kill -9 in the middle of a transaction: that fails, we live, and nothing of it is there", async () => {
  const failing = database.transaction(async (connection) => {
    await connection.query("insert into kept values (-1, 1)");
    killServer();
    await until("the connection is cut", () =>
      connection.query("select 1").then(
        () => false,
        () => true,
      ),
    );
    await connection.query("insert into kept values (-1, 2)");
  });
  await expect(failing).rejects.toMatchObject({ code: "database_unavailable" });
  const kept = await answered(() => database.query("select n from kept where writer = -1"));
  expect(kept.rows).toEqual([]);
});

test("who listens is connected again, and told that news may have been missed", async () => {
  const woken: Wake[] = [];
  database.notifications.subscribe("news", (wake) => woken.push(wake));
  await until("it listens", () => woken.some(({ kind }) => kind === "connected"));
  woken.length = 0;
  killServer();
  await until("it listens again", () => woken.some(({ kind }) => kind === "connected"));
  await database.query("select pg_notify('news', 'second')");
  await until("it is told", () =>
    woken.some((wake) => wake.kind === "notified" && wake.payload === "second"),
  );
});

test("many who miss the server at the same time start it once, and none of them learns that it was gone", async () => {
  await Promise.all(asked(20));
  killServer();
  // No turn of the event loop in between: this process still takes its connections for good ones.
  const deadline = Date.now() + goneMs;
  while (processesOn(place.data).length > 0) expect(Date.now()).toBeLessThan(deadline);
  await Promise.all(asked(20));
  expect(processesOn(place.data)).toContain(livePostmaster(place));
});

/** A killed server's other processes live for a moment, and may take a question with them. */
function answered<T>(question: () => Promise<T>): Promise<T> {
  return until("the database answers", () => question().catch(() => undefined));
}

function asked(times: number): Promise<unknown>[] {
  return Array.from({ length: times }, () => database.query("select 1"));
}

/** Kills the server at some moment after more was written; if so wanted, the next one in the middle of its recovery too. */
async function killWhile(acknowledged: ReadonlySet<string>, twice: boolean): Promise<void> {
  const before = acknowledged.size;
  await until("rows are written again", () => acknowledged.size > before, 60_000);
  await delay(Math.random() * longestPauseMs);
  const pid = livePostmaster(place);
  if (pid !== undefined) process.kill(pid, "SIGKILL");
  if (!twice) return;
  const next = await until("it is started again", () => other(livePostmaster(place), pid), 60_000);
  await delay(Math.random() * longestPauseMs);
  if (livePostmaster(place) === next) process.kill(next, "SIGKILL");
}

/** One row after the other, as fast as it goes; says how many were tried. */
async function write(writer: number, acknowledged: Set<string>, signal: AbortSignal): Promise<number> {
  let n = 0;
  while (!signal.aborted) {
    n += 1;
    // A row whose insert failed may be there or not: nobody said that it is.
    const done = await database.query("insert into kept values ($1, $2)", [writer, n]).catch(() => undefined);
    if (done) acknowledged.add(`${writer}/${n}`);
    else await delay(retryMs);
  }
  return n;
}

/** Another process, which sees to it that the server runs, and ends. */
function starter() {
  return spawn(process.execPath, [program], { env: { ...process.env, ...instance.env }, stdio: "inherit" });
}

function unfinished(): string[] {
  return readdirSync(place.folder).filter((name) => name.startsWith("unfinished-"));
}

function other(pid: number | undefined, than: number | undefined): number | undefined {
  return pid === than ? undefined : pid;
}

function killServer(): void {
  const pid = livePostmaster(place);
  if (pid === undefined) throw new Error("no server runs");
  process.kill(pid, "SIGKILL");
}
