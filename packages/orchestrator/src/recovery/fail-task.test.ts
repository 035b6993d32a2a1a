import type { Rework, ReworkPoint, TaskFailureType } from "@opentiger/schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TemporaryDatabase, temporaryDatabase } from "../fixture/temporary-database.ts";
import { claimed, claimOf, newLoop, newTask } from "../fixture/temporary-loops.ts";
import { editTask } from "../loops/edit-task.ts";
import { retryTask } from "../loops/retry-task.ts";
import { LeaseLost } from "../stage/lease-lost.ts";
import { advanceBranch } from "../state/branch.ts";
import { change } from "../state/change.ts";
import { claimStage } from "../state/claims.ts";
import { SystemConfig } from "../state/config/system-config.ts";
import type { Database } from "../state/database.ts";
import { type Lease, takeOver } from "../state/lease.ts";
import { findLoop } from "../state/loops.ts";
import { findRun, noteRun, type RunRow, startRun } from "../state/runs.ts";
import { openStage } from "../state/stages.ts";
import { findTask, type NewTask, type TaskRow } from "../state/tasks.ts";
import { failTask } from "./fail-task.ts";
import { taskFailureOf } from "./task-failures.ts";

let instance: TemporaryDatabase;
let database: Database;
let config: SystemConfig;

beforeAll(async () => {
  instance = await temporaryDatabase();
  database = await instance.open();
  config = await SystemConfig.open(database, { env: {} });
});

afterAll(async () => {
  config.close();
  await instance.remove();
});

/** A loop with these tasks, of which the first is being worked on. */
async function working(tasks: readonly NewTask[] = [newTask("one")]) {
  await database.query("update stages set state = 'ended', ended_at = now() where state <> 'ended'");
  const made = await newLoop(database, tasks);
  return { ...made, ...(await nextRun()) };
}

async function nextRun(): Promise<{ lease: Lease; run: RunRow }> {
  await database.query("update stages set not_before = now() where state = 'ready'");
  const lease = await claimed(claimStage(database, claimOf("test")));
  const role = lease.role === "merger" ? "judge" : lease.role;
  const run = await startRun(database, lease, { agent: "claude_code", role });
  if (!run) throw new Error("the lease is over");
  return { lease, run };
}

/** The first of these tasks failed in the same way too often, and waits for another agent. */
async function handedOn(tasks?: readonly NewTask[]): Promise<{ lease: Lease }> {
  const { lease, run } = await working(tasks);
  await database.query(`update tasks set tries = '{"verify": 3}' where id = $1`, [lease.task]);
  await config.patch({ OPENTIGER_FALLBACK_AGENT: "codex" }, "test");
  await failTask(place(), lease, run, taskFailureOf("verify"));
  await config.patch({ OPENTIGER_FALLBACK_AGENT: null }, "test");
  return { lease };
}

async function taskOf({ task }: Lease): Promise<TaskRow> {
  const found = await findTask(database, task ?? "");
  if (!found) throw new Error("there is no such task");
  return found;
}

const place = () => ({ database, config, folder: instance.home });

describe("a run that failed", () => {
  it("is ended and its task queued again, with what the next run has to know", async () => {
    const { lease, run } = await working();
    await noteRun(database, lease, run.id, { session: "s-1" });
    const points = [{ by: "verify", file: null, line: null, text: "red" }] as const;
    const rework = { points: [...points], from: "c".repeat(40), sandbox: "loop-x-claude-1" };
    const next = await failTask(place(), lease, run, taskFailureOf("verify"), {
      rework,
      baseOid: "b".repeat(40),
    });
    expect(next).toMatchObject({ by: "again", resume: true });
    expect(await findRun(database, run.id)).toMatchObject({ state: "failed", failure: { type: "verify" } });
    expect(await taskOf(lease)).toMatchObject({
      state: "queued",
      tries: { verify: 1 },
      baseOid: "b".repeat(40),
      rework: { failure: "verify", session: "s-1", agent: "claude_code", ...rework },
    });
  });

  it("keeps what the judge found before, until the judge says something new", async () => {
    const first = await working();
    const { lease, run } = first;
    const { fence } = lease;
    await change(database, { what: "run", id: run.id, by: "succeed", from: "running", fence });
    const set = { candidateOid: "c".repeat(40), baseOid: "b".repeat(40) };
    await change(database, { what: "task", id: lease.task ?? "", by: "submit", from: "running", fence, set });
    const judging = await nextRun();
    const found = [{ by: "judge", file: "a", line: 1, text: "wrong" }] as const;
    const rejected = await failTask(place(), judging.lease, judging.run, taskFailureOf("judge"), {
      rework: { points: [...found] },
    });
    expect(rejected).toEqual({ by: "reject", agent: null });
    expect(await taskOf(judging.lease)).toMatchObject({
      state: "blocked(needs_rework)",
      tries: { judge: 1 },
      rework: { points: found, from: "c".repeat(40), agent: "claude_code" },
    });
    const second = await nextRun();
    await failTask(place(), second.lease, second.run, taskFailureOf("tool_loop"));
    const { rework } = await taskOf(second.lease);
    expect(rework).toMatchObject({
      failure: "tool_loop",
      points: found,
      from: "c".repeat(40),
      session: null,
    });
  });

  it("in the same way again is handed to the other agent, without the work that came to nothing", async () => {
    const { lease, run } = await working();
    await noteRun(database, lease, run.id, { session: "s-1" });
    await database.query(`update tasks set tries = '{"verify": 3}' where id = $1`, [lease.task]);
    await config.patch({ OPENTIGER_FALLBACK_AGENT: "codex" }, "test");
    const points: ReworkPoint[] = [{ by: "verify", file: null, line: null, text: "red" }];
    const rework = { points, from: "c".repeat(40), sandbox: "loop-x-claude-1" };
    const next = await failTask(place(), lease, run, taskFailureOf("verify"), { rework });
    await config.patch({ OPENTIGER_FALLBACK_AGENT: null }, "test");
    expect(next).toMatchObject({ by: "again", agent: "codex", resume: false });
    expect(await taskOf(lease)).toMatchObject({
      state: "queued",
      agent: "codex",
      tries: { verify: 0 },
      rework: { points: [], session: null, from: null, sandbox: null },
    });
  });

  it("that was handed on is its own agent's again when a person retries it, and stays with whom they chose", async () => {
    for (const own of [null, "opencode"]) {
      const { lease } = await handedOn([newTask("one", { agent: own })]);
      const id = lease.task ?? "";
      expect((await taskOf(lease)).agent).toBe("codex");
      const { lease: end, run } = await nextRun();
      await failTask(place(), end, run, taskFailureOf("auth"));
      expect(await retryTask(database, id)).toMatchObject({ state: "queued", agent: own });
    }
    const { lease } = await handedOn();
    await editTask(database, lease.task ?? "", { agent: "opencode" });
    expect((await taskOf(lease)).agent).toBe("opencode");
  });

  it("is handed on once, also where the other agent never comes to begin", async () => {
    const { lease } = await handedOn();
    await config.patch({ OPENTIGER_FALLBACK_AGENT: "codex" }, "test");
    const ends: string[] = [];
    for (let time = 0; time < 10 && ends.at(-1) !== "give_up"; time++) {
      await database.query("update stages set not_before = now() where state = 'ready'");
      const claim = await claimed(claimStage(database, claimOf("test")));
      ends.push((await failTask(place(), claim, null, taskFailureOf("timeout"))).by);
    }
    await config.patch({ OPENTIGER_FALLBACK_AGENT: null }, "test");
    expect(ends).toEqual(["again", "give_up"]);
    expect((await taskOf(lease)).state).toBe("failed");
  });

  it("of which nobody knows how it ended is lost", async () => {
    const { lease, run } = await working();
    await failTask(place(), lease, run, taskFailureOf("lost"));
    expect(await findRun(database, run.id)).toMatchObject({ state: "lost" });
    expect(await taskOf(lease)).toMatchObject({ state: "queued" });
  });

  it("for the quota leaves its task waiting until the reset, for anybody to claim then", async () => {
    const { lease, run } = await working();
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await failTask(place(), lease, run, taskFailureOf("quota", undefined, { until }));
    const task = await taskOf(lease);
    expect(task).toMatchObject({
      state: "blocked(quota_wait)",
      detail: expect.stringContaining("It goes on at"),
    });
    expect(task.notBefore?.getTime()).toBeGreaterThanOrEqual(Date.parse(until));
    expect(await openStage(database, task.id)).toMatchObject({ state: "ready", notBefore: task.notBefore });
    expect(await claimStage(database, claimOf("early"))).toMatchObject({ claimed: false, busy: false });
  });

  it("for the quota, however often, takes nothing from the runs that its task may have", async () => {
    await config.patch({ OPENTIGER_TASK_RUNS: 2 }, "test");
    const { lease, run } = await working();
    const quota = taskFailureOf("quota", undefined, { until: new Date().toISOString() });
    const waits = [await failTask(place(), lease, run, quota)];
    for (let time = 1; time < 20; time++) {
      const next = await nextRun();
      waits.push(await failTask(place(), next.lease, next.run, quota));
    }
    const [last, over] = [await nextRun(), taskFailureOf("unknown")];
    const again = await failTask(place(), last.lease, last.run, over);
    const end = await nextRun();
    const ended = await failTask(place(), end.lease, end.run, taskFailureOf("verify"));
    await config.patch({ OPENTIGER_TASK_RUNS: null }, "test");
    expect(new Set(waits.map(({ by }) => by))).toEqual(new Set(["wait_for_quota"]));
    expect(again).toMatchObject({ by: "again" });
    expect(ended).toMatchObject({ by: "give_up", why: "It has had 2 runs, and more are not allowed." });
  });

  it("for the budget pauses the loop, and its task waits with it", async () => {
    const { lease, run, loop } = await working();
    await failTask(place(), lease, run, taskFailureOf("budget"));
    expect(await findLoop(database, loop.id)).toMatchObject({ state: "paused(budget)" });
    expect(await taskOf(lease)).toMatchObject({ state: "queued", tries: {} });
    expect(await openStage(database, lease.task ?? "")).toMatchObject({ state: "waiting" });
  });

  it("for the budget, however often, takes nothing from the runs that its task may have", async () => {
    await config.patch({ OPENTIGER_TASK_RUNS: 2 }, "test");
    let { lease, run, loop } = await working();
    for (let time = 0; time < 4; time++) {
      const next = await failTask(place(), lease, run, taskFailureOf("budget"));
      expect(next).toMatchObject({ by: "again", resume: true, pauseLoop: true });
      await change(database, { what: "loop", id: loop.id, by: "resume", from: "paused(budget)" });
      ({ lease, run } = await nextRun());
    }
    const again = await failTask(place(), lease, run, taskFailureOf("verify"));
    const end = await nextRun();
    const ended = await failTask(place(), end.lease, end.run, taskFailureOf("rules"));
    await config.patch({ OPENTIGER_TASK_RUNS: null }, "test");
    expect(again).toMatchObject({ by: "again" });
    expect(ended).toMatchObject({ by: "give_up", why: "It has had 2 runs, and more are not allowed." });
  });

  it("in the end says all that a person needs, and is tried again as often after a retry", async () => {
    const { lease, run } = await working();
    await failTask(place(), lease, run, taskFailureOf("unknown", "status 3"));
    const second = await nextRun();
    const points = Array.from({ length: 12 }, (_, line): ReworkPoint => {
      return { by: "rules", file: "a.txt", line, text: `point ${line}` };
    });
    await failTask(place(), second.lease, second.run, taskFailureOf("unknown", "status 4"), {
      rework: { points },
    });
    const { id, state, detail } = await taskOf(lease);
    expect(state).toBe("failed");
    for (const words of [
      "status 4. It was tried once more, in vain.",
      "- a.txt:0: point 0",
      "- and 2 more",
      "Read the run's last events.",
      "It has had 2 runs, the last one by claude_code.",
    ])
      expect(detail).toContain(words);
    await config.patch({ OPENTIGER_TASK_RUNS: 2 }, "test");
    await change(database, { what: "task", id, by: "retry", from: "failed", set: { tries: {} } });
    const third = await nextRun();
    const next = await failTask(place(), third.lease, third.run, taskFailureOf("unknown"));
    await config.patch({ OPENTIGER_TASK_RUNS: null }, "test");
    expect(next).toMatchObject({ by: "again" });
  });

  it("is nobody's business who has lost the lease: nothing is changed", async () => {
    const { lease, run } = await working();
    const taker = { owner: "other", leaseMs: 60_000, deadOwner: lease.owner };
    await takeOver(database, lease, taker);
    await expect(failTask(place(), lease, run, taskFailureOf("crash"))).rejects.toBeInstanceOf(LeaseLost);
    expect(await findRun(database, run.id)).toMatchObject({ state: "running" });
    expect(await taskOf(lease)).toMatchObject({ state: "running", tries: {} });
  });
});

describe("a dispute", () => {
  async function held() {
    const tester = newTask("tests", { role: "tester" });
    const first = await working([tester, newTask("code", { needs: [1] })]);
    const { lease, run, loop } = first;
    const { fence } = lease;
    await change(database, { what: "run", id: run.id, by: "succeed", from: "running", fence });
    const set = { candidateOid: "c".repeat(40), baseOid: "b".repeat(40) };
    await change(database, { what: "task", id: lease.task ?? "", by: "submit", from: "running", fence, set });
    const { fence: now } = await taskOf(lease);
    const advance = { loop: loop.id, task: lease.task ?? "", fence: now, fromOid: loop.baseOid, toOid: null };
    expect(await advanceBranch(database, advance)).toMatchObject({ advanced: true });
    return { tests: lease, ...(await nextRun()) };
  }

  const said: Rework["points"] = [{ by: "dispute", file: null, line: null, text: "it asks for German" }];

  it("sends the tests back to who wrote them, and the worker waits for them", async () => {
    const { tests, lease, run } = await held();
    await failTask(place(), lease, run, taskFailureOf("dispute"), { rework: { points: said } });
    expect(await taskOf(tests)).toMatchObject({
      state: "queued",
      rework: { failure: "dispute", points: said, from: "c".repeat(40) },
    });
    expect(await taskOf(lease)).toMatchObject({ state: "queued", tries: { dispute: 1 } });
    expect(await openStage(database, lease.task ?? "")).toMatchObject({ state: "waiting" });
  });

  it("too many times is left to a person, and the tests stay", async () => {
    const { tests, lease, run } = await held();
    await database.query(`update tasks set tries = '{"dispute": 2}' where id = $1`, [lease.task]);
    await failTask(place(), lease, run, taskFailureOf("dispute"), { rework: { points: said } });
    expect(await taskOf(tests)).toMatchObject({ state: "done" });
    expect(await taskOf(lease)).toMatchObject({
      state: "failed",
      detail: expect.stringContaining("it asks for German"),
    });
  });
});

describe("trouble of the judge's own", () => {
  it.each<[TaskFailureType, string]>([
    ["lost", "judged at once"],
    ["inconclusive", "after a pause"],
  ])("has the candidate judged again, and is not the task's: %s, %s", async (type) => {
    const { lease, run } = await working();
    const { fence } = lease;
    await change(database, { what: "run", id: run.id, by: "succeed", from: "running", fence });
    await change(database, { what: "task", id: lease.task ?? "", by: "submit", from: "running", fence });
    const judging = await nextRun();
    const before = Date.now();
    await failTask(place(), judging.lease, judging.run, taskFailureOf(type));
    expect(await taskOf(lease)).toMatchObject({ state: "blocked(awaiting_judge)", rework: null });
    const stage = await openStage(database, lease.task ?? "");
    expect(stage).toMatchObject({ kind: "judge", state: "ready" });
    const waits = (stage?.notBefore.getTime() ?? 0) - before > 10_000;
    expect(waits).toBe(type === "inconclusive");
  });
});
