import { type JudgementEvidence, loopSettings, type Rework, type ReworkPoint } from "@opentiger/schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../../../tests/setup/until.ts";
import { temporaryDatabase } from "../fixture/temporary-database.ts";
import { claimOf, newLoop, newTask } from "../fixture/temporary-loops.ts";
import { addArtifact, artifactBytes, expiredArtifacts, forgetArtifacts, listArtifacts } from "./artifacts.ts";
import { type Change, change } from "./change.ts";
import { claimStage } from "./claims.ts";
import type { Database } from "./database.ts";
import { findEvent, listEvents } from "./events.ts";
import { addJudgement, listJudgements } from "./judgements.ts";
import { heartbeat } from "./lease.ts";
import { createLoop, findLoop, listLoops } from "./loops.ts";
import { ensureRepository, listRepositories } from "./repositories.ts";
import { findRun, listRuns, listTaskRuns, noteRun, runOfStage, startRun, strayRuns } from "./runs.ts";
import { listStages, openStage } from "./stages.ts";
import { findTask, listTasks } from "./tasks.ts";

const instance = await temporaryDatabase();

const more = {
  requirement: "More.",
  source: { kind: "prose" },
  settings: loopSettings.parse({}),
} as const;

const point: ReworkPoint = { by: "judge", file: null, line: null, text: "no test" };
const rework: Rework = {
  failure: "judge",
  points: [point],
  session: null,
  agent: null,
  from: null,
  sandbox: null,
};
const evidence: JudgementEvidence = {
  rounds: [],
  redBefore: [],
  notes: [],
  opinions: [],
  trouble: null,
  held: false,
};

let database: Database;

beforeAll(async () => {
  database = await instance.open();
});

afterAll(() => instance.remove());

describe("a new loop", () => {
  it("without a plan has the stage to make one", async () => {
    const repository = await ensureRepository(database, { path: "/r", name: "r" });
    expect(await ensureRepository(database, { path: "/r", name: "other" })).toEqual(repository);
    const about = { ...more, repository: repository.id };
    const loop = await createLoop(database, about);
    expect(loop).toMatchObject({ state: "planning", id: expect.stringMatching(/^[a-z0-9]{8}$/) });
    const claim = await claimStage(database, claimOf("me"));
    expect(claim).toMatchObject({ lease: { kind: "plan", task: null, loop: loop.id, fence: 1 } });
    const planned = { what: "loop", id: loop.id, by: "planned", from: "planning", to: "running" } as const;
    expect(await change(database, { ...planned, fence: 7 })).toMatchObject({ changed: false });
    expect(await change(database, { ...planned, fence: 1 })).toMatchObject({ changed: true });
    expect(claim.claimed && (await heartbeat(database, claim.lease, 1_000))).toBeUndefined();
  });

  it("whose plan is not approved has tasks that nobody can claim until each is", async () => {
    const repository = await ensureRepository(database, { path: "/r", name: "r" });
    const about = { ...more, repository: repository.id };
    const plan = { tasks: [newTask("a")], approved: false };
    const loop = await createLoop(database, { ...about, plan });
    const { items } = await listTasks(database, { loop: loop.id });
    const id = items[0]?.id ?? "";
    expect(await openStage(database, id)).toBeUndefined();
    await change(database, { what: "loop", id: loop.id, by: "approve", from: "awaiting_approval" });
    await change(database, { what: "task", id, by: "approve", from: "blocked(awaiting_approval)" });
    expect(await openStage(database, id)).toMatchObject({ kind: "run", state: "ready" });
  });

  it("whose tasks need each other in a circle is refused, and nothing of it is there", async () => {
    const before = (await listLoops(database)).items.length;
    const making = newLoop(database, [newTask("a", { needs: [2] }), newTask("b", { needs: [1] })]);
    await expect(making).rejects.toMatchObject({ code: "plan_invalid" });
    await expect(newLoop(database, [newTask("a", { needs: [9] })])).rejects.toMatchObject({
      code: "plan_invalid",
    });
    expect((await listLoops(database)).items).toHaveLength(before);
  });
});

describe("a change", () => {
  it("is told with the id of its event, which says what happened and no secret", async () => {
    const heard: string[] = [];
    let listening = false;
    const leave = database.notifications.subscribe("events", (wake) => {
      listening ||= wake.kind === "connected";
      if (wake.kind === "notified") heard.push(wake.payload);
    });
    await until("it listens", () => listening);
    const { id, loop } = await oneTask();
    const data = { why: `sk-ant-${"x".repeat(20)}`, by: "me" };
    const done = await change(database, { what: "task", id, by: "pause", from: "queued", data });
    const event = done.changed ? done.event : 0;
    await until("it is told", () => heard.includes(String(event)));
    leave();
    expect(await findEvent(database, event)).toMatchObject({
      type: "task.pause",
      loop,
      task: id,
      data: { why: "(a secret)", by: "me", from: "queued", to: "blocked(paused)" },
    });
  });

  it("that comes second is missed, with what there is, and leaves no event", async () => {
    const { id, loop } = await oneTask();
    const asked = { what: "task", id, by: "pause", from: "queued" } as const;
    const both = await Promise.all([change(database, asked), change(database, asked)]);
    expect(both.filter(({ changed }) => changed)).toHaveLength(1);
    expect(both).toContainEqual({ changed: false, found: { state: "blocked(paused)", fence: 1 } });
    const types = (await listEvents(database, { loop })).items.map(({ type }) => type);
    expect(types).toEqual(["loop.create", "task.create", "task.pause"]);
  });

  it("compares the reason too", async () => {
    const { id } = await oneTask();
    await change(database, { what: "task", id, by: "pause", from: "queued" });
    const approve = { what: "task", id, by: "approve", from: "blocked(awaiting_approval)" } as const;
    expect(await change(database, approve)).toMatchObject({ found: { state: "blocked(paused)" } });
  });

  it("is gone with the transaction that it is part of", async () => {
    const { id, loop } = await oneTask();
    const before = await findTask(database, id);
    const failing = database.transaction(async (on) => {
      await change(on, { what: "task", id, by: "cancel", from: "queued" });
      throw new Error("changed my mind");
    });
    await expect(failing).rejects.toThrow("changed my mind");
    expect(await findTask(database, id)).toEqual(before);
    expect((await listEvents(database, { loop, task: id })).items).toHaveLength(1);
    expect(await openStage(database, id)).toMatchObject({ state: "ready" });
  });

  it("sets what is given with it, also to nothing", async () => {
    const { id } = await oneTask();
    const set = { detail: "wait", rework, tries: { crash: 1 } };
    const asked = { what: "task", id, by: "pause", from: "queued" } as const;
    await change(database, { ...asked, set: { ...set, handedTo: "codex" } });
    expect(await findTask(database, id)).toMatchObject({ ...set, agent: "codex" });
    const cleared = { detail: null, rework: null };
    await change(database, { what: "task", id, by: "resume", from: "blocked(paused)", set: cleared });
    expect(await findTask(database, id)).toMatchObject({ ...cleared, agent: "codex", tries: { crash: 1 } });
  });

  it("opens tests again that wait for their code, and none that are on the branch", async () => {
    const { id } = await oneTask();
    const done = "update tasks set status = 'done', merged_oid = $2 where id = $1";
    await database.query("update stages set state = 'ended' where task_id = $1", [id]);
    await database.query(done, [id, "on-the-branch"]);
    const dispute = { what: "task", id, by: "dispute", from: "done" } as const;
    expect(await change(database, dispute)).toMatchObject({ changed: false, found: { state: "done" } });
    await database.query(done, [id, null]);
    expect(await change(database, dispute)).toMatchObject({ changed: true });
    expect(await openStage(database, id)).toMatchObject({ kind: "run", state: "ready" });
  });

  it("that the table does not have does not compile, and is an error", async () => {
    const { id, loop } = await oneTask();
    // @ts-expect-error a queued task is not judged
    const early: Change = { what: "task", id, by: "submit", from: "queued" };
    // @ts-expect-error a loop has several reasons to be paused, and one must be given
    const vague: Change = { what: "loop", id: loop, by: "pause", from: "running" };
    // @ts-expect-error a paused loop runs when it is resumed
    const wrong: Change = { what: "loop", id: loop, by: "resume", from: "paused(asked)", to: "done" };
    for (const illegal of [early, vague, wrong]) {
      await expect(change(database, illegal)).rejects.toMatchObject({ code: "internal" });
    }
    const absent = { what: "loop", id: "nowhere0", by: "finish", from: "running" } as const;
    await expect(change(database, absent)).rejects.toMatchObject({ code: "not_found" });
  });

  it("ends a loop with a time, and opens it again without", async () => {
    const { loop } = await oneTask();
    await change(database, {
      what: "loop",
      id: loop,
      by: "fail",
      from: "running",
      set: { detail: "no way on" },
    });
    expect(await findLoop(database, loop)).toMatchObject({ state: "failed", endedAt: expect.any(Date) });
    await change(database, { what: "loop", id: loop, by: "reopen", from: "failed", set: { detail: null } });
    expect(await findLoop(database, loop)).toMatchObject({ state: "running", endedAt: null, detail: null });
  });
});

describe("runs", () => {
  it("are numbered, noted while they go on, and ended once", async () => {
    const { id, loop } = await oneTask();
    const claim = await claimStage(database, claimOf("me"));
    if (!claim.claimed) throw new Error("nothing could be claimed");
    const about = { agent: "claude_code", role: "worker", baseOid: "0" } as const;
    const first = await startRun(database, claim.lease, about);
    const second = await startRun(database, claim.lease, about);
    expect([first?.number, second?.number]).toEqual([1, 2]);
    const run = first?.id ?? "";
    const tokens = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };
    const noted = { session: "s", execId: "e", lastSeq: 7, tokens, usd: 0.25 };
    expect(await noteRun(database, claim.lease, run, noted)).toBe(true);
    const failure = { type: "crash", message: "It crashed.", remedy: "Look.", until: null } as const;
    const failing = { what: "run", id: run, by: "fail", from: "running", set: { failure } } as const;
    expect(await change(database, { ...failing, fence: claim.lease.fence })).toMatchObject({ changed: true });
    expect(await change(database, failing)).toMatchObject({ changed: false, found: { state: "failed" } });
    expect(await findRun(database, run)).toMatchObject({
      ...noted,
      state: "failed",
      failure,
      endedAt: expect.any(Date),
    });
    expect(await noteRun(database, claim.lease, run, { session: "late" })).toBe(false);
    expect((await listRuns(database, { loop })).items.map(({ number }) => number)).toEqual([2, 1]);
    expect((await listTaskRuns(database, { task: id })).items.map(({ number }) => number)).toEqual([1, 2]);
  });
});

it("judgements are kept with the task, artifacts with the run until their time is over", async () => {
  const { id } = await oneTask();
  const claim = await claimStage(database, claimOf("me"));
  const about = { agent: "codex", role: "worker" } as const;
  const run = (claim.claimed && (await startRun(database, claim.lease, about))) || undefined;
  const judged = {
    task: id,
    run: run?.id ?? null,
    candidateOid: "c",
    baseOid: "b",
    judgement: "fail",
  } as const;
  await addJudgement(database, { ...judged, evidence, points: [point] });
  expect((await listJudgements(database, { task: id })).items).toMatchObject([
    { ...judged, evidence, points: [point] },
  ]);

  const kept = { run: run?.id ?? "", kind: "diff", path: "a.diff", bytes: 10 };
  await addArtifact(database, { ...kept, keepMs: 60_000 });
  const old = await addArtifact(database, { ...kept, path: "old.diff", keepMs: 0 });
  expect(await artifactBytes(database)).toBe(20);
  expect(await expiredArtifacts(database, 10)).toEqual([old]);
  await forgetArtifacts(database, [old.id]);
  expect((await listArtifacts(database, { run: run?.id ?? "" })).items).toMatchObject([kept]);

  expect(await strayRuns(database)).toEqual([]);
  await change(database, { what: "task", id, by: "cancel", from: "running" });
  expect(await strayRuns(database)).toMatchObject([{ id: run?.id }]);
  expect(await runOfStage(database, run?.stage ?? 0)).toMatchObject({ id: run?.id });
  expect((await listRepositories(database, { limit: 1 })).map(({ path }) => path)).toEqual(["/r"]);
});

it("lists come in pages that neither miss nor repeat anything", async () => {
  const { loop } = await newLoop(
    database,
    Array.from({ length: 7 }, (_, index) => newTask(`t${index}`)),
  );
  const numbers: number[] = [];
  let after: number | undefined;
  do {
    const page = await listTasks(database, { loop: loop.id, after, limit: 3 });
    numbers.push(...page.items.map(({ number }) => number));
    after = page.next ?? undefined;
  } while (after !== undefined);
  expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7]);
  const whole = await listEvents(database, { loop: loop.id });
  const first = await listEvents(database, { loop: loop.id, limit: 3 });
  const rest = await listEvents(database, { loop: loop.id, after: first.next ?? 0 });
  expect([...first.items, ...rest.items]).toEqual(whole.items);
  expect((await listStages(database, { loop: loop.id, limit: 7 })).next).toBeNull();
  expect((await listLoops(database, { limit: 1, status: "running" })).items[0]?.id).toBe(loop.id);
  expect((await listTasks(database, { loop: loop.id, status: "done" })).items).toEqual([]);
});

async function oneTask(): Promise<{ id: string; loop: string }> {
  // Nothing of the tests before is to be claimed.
  await database.query("update stages set state = 'ended' where state <> 'ended'");
  await database.query("update runs set status = 'lost' where status = 'running'");
  const { loop, tasks } = await newLoop(database, [newTask("a")]);
  return { id: tasks[0]?.id ?? "", loop: loop.id };
}
