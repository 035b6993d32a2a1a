import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectDocker, type Sandbox } from "@opentiger/sandbox";
import { stageRoles } from "@opentiger/schema";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { takeOverAbandoned } from "../../dispatch/abandoned-leases.ts";
import { claimed, claimOf, newLoop, newTask } from "../../fixture/temporary-loops.ts";
import { type TemporaryPlace, temporaryPlace } from "../../fixture/temporary-place.ts";
import { budgetsOf } from "../../loops/budget.ts";
import { cancelLoop } from "../../loops/cancel-loop.ts";
import { cancelTask } from "../../loops/cancel-task.ts";
import type { Place } from "../../place.ts";
import { addArtifact, artifactBytes } from "../../state/artifacts.ts";
import { change } from "../../state/change.ts";
import { claimStage } from "../../state/claims.ts";
import { heartbeat, type Lease } from "../../state/lease.ts";
import { findLoop } from "../../state/loops.ts";
import { findRun, noteRun, type RunRow, startRun } from "../../state/runs.ts";
import { findTask, type NewTask } from "../../state/tasks.ts";
import { clean } from "./clean.ts";
import { sandboxOwner } from "./loop-sandboxes.ts";
import { reconcile } from "./reconcile.ts";
import { Reconciler } from "./reconciler.ts";
import { isUnneeded } from "./sandboxes.ts";
import { endStrayRuns } from "./stray-runs.ts";

let place: TemporaryPlace;
let workspace: string;

beforeAll(async () => {
  place = await temporaryPlace();
  workspace = mkdtempSync(join(tmpdir(), "opentiger-ws-"));
});

beforeEach(async () => {
  await place.database.query("truncate loops, repositories cascade");
  place.lines.length = 0;
});

afterEach(async () => {
  await (await place.backend("host")).reset();
});

afterAll(async () => {
  await place.remove();
  rmSync(workspace, { recursive: true, force: true });
});

describe("tasks and loops that nobody moves on", () => {
  it("a task that needs one that failed says so, and the loop that can do no more ends", async () => {
    const { loop, tasks } = await newLoop(place.database, [
      newTask("a"),
      newTask("b", { needs: [1] }),
      newTask("c", { needs: [2] }),
    ]);
    const lease = await claimed(claimStage(place.database, claimOf("me")));
    const failed = { what: "task", id: lease.task ?? "", by: "give_up", from: "running" } as const;
    await change(place.database, { ...failed, fence: lease.fence, set: { detail: "It cannot be done." } });
    await Promise.all([reconcile(place), reconcile(place)]);
    expect(await stateOf(tasks[2]?.id)).toBe("blocked(dependency_failed)");
    const over = await findLoop(place.database, loop.id);
    expect(over).toMatchObject({ state: "failed", summary: { failed: 1 } });
    expect(over?.detail).toContain("It cannot be done.");
    expect(place.lines).toEqual([]);
  });

  it("a loop whose tasks are all done is done, once, with two of us", async () => {
    const { loop } = await newLoop(place.database, [newTask("a")]);
    await place.database.query("update tasks set status = 'done'");
    await place.database.query("update stages set state = 'ended'");
    await Promise.all([reconcile(place), reconcile(place), reconcile(place)]);
    expect((await findLoop(place.database, loop.id))?.state).toBe("done");
    const { rows } = await place.database.query("select type from events where type = 'loop.finish'");
    expect(rows).toHaveLength(1);
    expect(place.lines).toEqual([]);
  });

  it("a loop whose last answer used up its budget is merged and done, also where it was paused meanwhile", async () => {
    const { loop, lease } = await passedWithoutBudget([newTask("a")]);
    await reconcile(place);
    expect((await findLoop(place.database, loop))?.state, "only merging is left").toBe("running");
    await paused(loop);
    const { limits, ...request } = claimOf("merger");
    const merging = await claimed(
      claimStage(place.database, { ...request, limits: { ...limits, budgets: budgetsOf(place.config) } }),
    );
    expect(merging).toMatchObject({ kind: "merge", task: lease.task });
    await merged(merging);
    await reconcile(place);
    expect(await findLoop(place.database, loop)).toMatchObject({ state: "done", detail: null });
    expect(place.lines).toEqual([]);
  });

  it("a loop that is over when the day's budget is used up is done, and one with more to do is paused", async () => {
    const { loop, lease } = await passedWithoutBudget([newTask("a"), newTask("b", { needs: [1] })]);
    const { loop: over } = await newLoop(place.database, [newTask("c")]);
    await place.database.query("update tasks set status = 'done' where loop_id = $1", [over.id]);
    await place.database.query("update stages set state = 'ended' where loop_id = $1", [over.id]);
    await place.config.patch({ OPENTIGER_DAY_TOKENS: "1000" }, "test");
    await reconcile(place);
    await place.config.patch({ OPENTIGER_DAY_TOKENS: null }, "test");
    expect((await findLoop(place.database, over.id))?.state).toBe("done");
    expect((await findLoop(place.database, loop))?.state).toBe("paused(budget)");
    await merged(await claimed(claimStage(place.database, claimOf("merger"))));
    expect(await stateOf(lease.task ?? "")).toBe("done");
    await reconcile(place);
    expect((await findLoop(place.database, loop))?.state, "task b would cost").toBe("paused(budget)");
    expect(await claimStage(place.database, claimOf("me"))).toMatchObject({ claimed: false });
  });

  it("a loop without a budget whose other tasks need one that failed has failed, and waits for nobody", async () => {
    const { loop } = await newLoop(place.database, [newTask("a"), newTask("b", { needs: [1] })]);
    const { lease, run } = await started();
    await paused(loop.id);
    await endRun(lease, run);
    const failed = { what: "task", id: lease.task ?? "", by: "give_up", from: "running" } as const;
    await change(place.database, { ...failed, fence: lease.fence });
    await reconcile(place);
    expect((await findLoop(place.database, loop.id))?.state).toBe("failed");
  });

  it("a loop with a task that still moves goes on", async () => {
    const { loop } = await newLoop(place.database, [newTask("a"), newTask("b")]);
    await place.database.query("update tasks set status = 'done' where number = 1");
    await reconcile(place);
    expect((await findLoop(place.database, loop.id))?.state).toBe("running");
  });
});

describe("a loop that cannot be looked at", () => {
  /** Whose row says what nobody understands; it is looked at first. */
  async function broken(): Promise<string> {
    const { loop } = await newLoop(place.database, [newTask("broken")]);
    await place.database.query(`update loops set settings = '"nonsense"' where id = $1`, [loop.id]);
    return loop.id;
  }

  it("keeps no other one from being ended, or from being paused for its budget", async () => {
    const first = await broken();
    await place.database.query("update tasks set status = 'done'");
    await place.database.query("update stages set state = 'ended'");
    const { loop } = await passedWithoutBudget([newTask("a"), newTask("b", { needs: [1] })]);
    const { loop: over } = await newLoop(place.database, [newTask("c")]);
    await place.database.query("update tasks set status = 'done' where loop_id = $1", [over.id]);
    await reconcile(place);
    expect((await findLoop(place.database, over.id))?.state).toBe("done");
    expect((await findLoop(place.database, loop))?.state).toBe("paused(budget)");
    expect(place.lines.length).toBeGreaterThan(0);
    for (const line of place.lines) expect(line).toContain(first);
  });

  it("keeps the tasks of no other one from being blocked", async () => {
    const loops: string[] = [];
    for (let count = 0; count < 2; count++) {
      const { loop } = await newLoop(place.database, [
        newTask("a"),
        newTask("b", { needs: [1] }),
        newTask("c"),
      ]);
      loops.push(loop.id);
    }
    await place.database.query("update tasks set status = 'failed' where number = 1");
    await place.database.query(
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
       create trigger refused before update on tasks for each row when (new.loop_id = '${loops[0]}')
       execute function refuse()`,
    );
    try {
      await reconcile(place);
    } finally {
      await place.database.query("drop trigger refused on tasks; drop function refuse()");
    }
    const { rows } = await place.database.query(
      "select loop_id from tasks where reason = 'dependency_failed'",
    );
    expect(rows).toEqual([{ loop_id: loops[1] }]);
    expect(place.lines).toEqual([expect.stringContaining(`loop ${loops[0]}: `)]);
  });
});

it("an engine that hangs keeps nothing from being settled", async () => {
  const { tasks } = await newLoop(place.database, [newTask("a"), newTask("b", { needs: [1] })]);
  const { lease, run } = await started();
  await noteRun(place.database, lease, run.id, { sandbox: "loop-00000000-shell-1" });
  const [engine, host] = [new AbortController(), await place.backend("host")];
  const backend = async () => {
    if (!engine.signal.aborted) await once(engine.signal, "abort");
    return host;
  };
  const reconciler = Reconciler.start({ ...place, backend });
  const failed = { what: "task", id: tasks[0]?.id ?? "", by: "give_up", from: "running" } as const;
  await change(place.database, { ...failed, fence: lease.fence });
  await vi.waitFor(
    async () => expect(await stateOf(tasks[1]?.id)).toBe("blocked(dependency_failed)"),
    10_000,
  );
  engine.abort();
  await vi.waitFor(async () => expect((await findRun(place.database, run.id))?.state).toBe("lost"), 10_000);
  await reconciler.stop();
});

describe("a run whose stage was ended under it", () => {
  it("is cancelled with its agent when the task was, and what else runs in its sandbox goes on", async () => {
    const { loop, tasks } = await newLoop(place.database, [newTask("a")]);
    const { lease, run } = await started();
    const sandbox = await newSandbox(`loop-${loop.id}-shell-1`);
    const agent = await sandbox.exec(["sleep", "600"], { id: run.id });
    const other = await sandbox.exec(["sleep", "600"]);
    agent.exit.catch(() => {});
    other.exit.catch(() => {});
    await noteRun(place.database, lease, run.id, { sandbox: sandbox.name, execId: agent.id });
    await cancelTask(place.database, tasks[0]?.id ?? "");
    await endStrayRuns(place);
    expect((await findRun(place.database, run.id))?.state).toBe("cancelled");
    const running = (await sandbox.execs()).filter(({ exit }) => exit === null).map(({ id }) => id);
    expect(running).toEqual([other.id]);
    await sandbox.close();
  });

  it("is lost when nobody cancelled it, also where its sandbox is gone", async () => {
    const { tasks } = await newLoop(place.database, [newTask("a")]);
    const { lease, run } = await started();
    await noteRun(place.database, lease, run.id, { sandbox: "loop-00000000-shell-1" });
    const again = { what: "task", id: tasks[0]?.id ?? "", by: "again", from: "running" } as const;
    await change(place.database, { ...again, fence: lease.fence });
    await endStrayRuns(place);
    expect((await findRun(place.database, run.id))?.state).toBe("lost");
  });

  it("is left alone while somebody has its stage and says so, however long it takes", async () => {
    await newLoop(place.database, [newTask("a")]);
    const { lease, run } = await started();
    await place.database.query("update runs set started_at = now() - interval '3 days'");
    await place.database.query("update stages set created_at = now() - interval '3 days'");
    expect(await heartbeat(place.database, lease, 60_000)).toBeDefined();
    await endStrayRuns(place);
    const taker = { owner: "another", leaseMs: 60_000, roles: stageRoles, own: new Set<number>() };
    expect(await takeOverAbandoned(place.database, taker)).toEqual({ leases: [], others: true });
    expect((await findRun(place.database, run.id))?.state).toBe("running");
    expect(await stateOf(lease.task ?? "")).toBe("running");
  });
});

describe("where an engine is wanted and does not answer", () => {
  it("what has ended on the host is removed all the same", async () => {
    const { loop } = await newLoop(place.database, [newTask("a")]);
    await (await newSandbox(`loop-${loop.id}-shell`)).close();
    await cancelLoop(place.database, loop.id);
    expect(await clean(await withSilentEngine())).toBe(true);
    expect(await sandboxNames()).toEqual([]);
    expect(place.lines.filter((line) => line.includes("does not answer"))).toEqual([]);
  });

  it("a run on the host is ended, and one in the engine is not said to be before its agent can be", async () => {
    const { loop, tasks } = await newLoop(place.database, [newTask("a"), newTask("b")]);
    const [onHost, inEngine] = [await started(), await started()];
    const sandbox = await newSandbox(`loop-${loop.id}-shell-1`);
    await sandbox.close();
    await noteRun(place.database, onHost.lease, onHost.run.id, { sandbox: sandbox.name });
    await noteRun(place.database, inEngine.lease, inEngine.run.id, { sandbox: `loop-${loop.id}-shell-2` });
    for (const { id } of tasks) await cancelTask(place.database, id);
    await endStrayRuns(await withSilentEngine());
    const states = [onHost, inEngine].map(async ({ run }) => (await findRun(place.database, run.id))?.state);
    expect(await Promise.all(states)).toEqual(["cancelled", "running"]);
    expect(place.lines).toEqual([expect.stringContaining(`run ${inEngine.run.id}: `)]);
    expect(place.lines[0]).toContain("does not answer");
  });
});

describe("B6 sandboxes", () => {
  it("of a loop that was cancelled are removed, all of them, and nobody else's", async () => {
    const { loop } = await newLoop(place.database, [newTask("a")]);
    const { loop: open } = await newLoop(place.database, [newTask("b")]);
    const [gone, kept] = [loop.id, open.id];
    const removed = [`loop-${gone}-shell`, `loop-${gone}-shell-1`, `loop-${gone}-shell-1-judge`];
    const left = [`loop-${kept}-shell`, `loop-${kept}-shell-1`, "loop-zzzzzzzz-shell", "my-own"];
    for (const name of [...removed, ...left]) await (await newSandbox(name)).close();
    await cancelLoop(place.database, gone);
    await clean(place);
    expect(await sandboxNames()).toEqual(left.toSorted());
  });

  it("of a task that has ended are removed while its loop goes on", async () => {
    const { loop, tasks } = await newLoop(place.database, [newTask("a"), newTask("b")]);
    const names = [1, 2].map((number) => `loop-${loop.id}-shell-${number}`);
    for (const name of names) await (await newSandbox(name)).close();
    await cancelTask(place.database, tasks[0]?.id ?? "");
    await clean(place);
    expect(await sandboxNames()).toEqual([`loop-${loop.id}-shell-2`]);
  });

  it("of a task that waits for its quota are stopped and kept, where who should have done so was killed", async () => {
    const { loop, tasks } = await newLoop(place.database, [newTask("a"), newTask("b")]);
    const { lease } = await started();
    const asked = { what: "task", id: tasks[0]?.id ?? "", by: "wait_for_quota", from: "running" } as const;
    await change(place.database, { ...asked, fence: lease.fence });
    for (const number of [1, 2]) await (await newSandbox(`loop-${loop.id}-shell-${number}`)).close();
    await clean(place);
    const listed = await (await place.backend("host")).list();
    expect(new Map(listed.map(({ name, status }) => [name, status]))).toEqual(
      new Map([
        [`loop-${loop.id}-shell-1`, "stopped"],
        [`loop-${loop.id}-shell-2`, "running"],
      ]),
    );
  });

  it("of a loop whose plan waits for a person are stopped, and started by whoever opens them", async () => {
    const { loop: waiting } = await newLoop(place.database, [newTask("a")], { approved: false });
    const { loop: running } = await newLoop(place.database, [newTask("b")]);
    const names = [waiting.id, running.id].map((id) => `loop-${id}-shell`);
    for (const name of names) await (await newSandbox(name)).close();
    await clean(place);
    const backend = await place.backend("host");
    const statuses = new Map((await backend.list()).map(({ name, status }) => [name, status]));
    expect(names.map((name) => statuses.get(name))).toEqual(["stopped", "running"]);
    await (await backend.open(names[0] ?? "")).close();
    expect((await backend.list()).find(({ name }) => name === names[0])?.status).toBe("running");
  });

  it("of a task that waits for a budget are stopped and kept, where who should have done so was killed", async () => {
    const { loop, tasks } = await newLoop(place.database, [newTask("a"), newTask("b")]);
    const first = await started();
    await started();
    const again = { what: "task", id: tasks[0]?.id ?? "", by: "again", from: "running" } as const;
    await change(place.database, { ...again, fence: first.lease.fence });
    for (const number of [1, 2]) await (await newSandbox(`loop-${loop.id}-shell-${number}`)).close();
    const statuses = async () => {
      await clean(place);
      const listed = await (await place.backend("host")).list();
      return listed.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(({ status }) => status);
    };
    expect(await statuses(), "it may be begun any moment").toEqual(["running", "running"]);
    await paused(loop.id);
    expect(await statuses(), "the other one is at work").toEqual(["stopped", "running"]);
  });

  it.each([
    ["a task that runs", { task: 1, judge: false }, "running", 0, false],
    ["a task that waits for its quota", { task: 1, judge: false }, "blocked(quota_wait)", 1_000, false],
    ["one that has waited for too long", { task: 1, judge: false }, "blocked(quota_wait)", 9_000, true],
    ["a judge at work", { task: 1, judge: true }, "blocked(awaiting_judge)", 0, false],
    ["a judge with nothing to judge", { task: 1, judge: true }, "running", 0, true],
    ["the loop itself", { task: null, judge: false }, null, 0, false],
  ] as const)("of %s", (_what, sandbox, task, sinceMs, unneeded) => {
    const facts = { loopWaits: false, task, sinceMs };
    expect(isUnneeded(sandbox, { loopEnded: false, ...facts }, 5_000)).toBe(unneeded);
    expect(isUnneeded(sandbox, { loopEnded: true, ...facts }, 5_000)).toBe(true);
  });

  it("are known by their names", () => {
    expect(sandboxOwner("loop-k3v9x0ab-claude")).toEqual({ loop: "k3v9x0ab", task: null, judge: false });
    expect(sandboxOwner("loop-k3v9x0ab-codex-12")).toEqual({ loop: "k3v9x0ab", task: 12, judge: false });
    expect(sandboxOwner("loop-k3v9x0ab-codex-12-judge")).toEqual({ loop: "k3v9x0ab", task: 12, judge: true });
    for (const name of ["loop-k3v9-claude", "claude-project", "loop-k3v9x0ab", "xloop-k3v9x0ab-claude"])
      expect(sandboxOwner(name)).toBeUndefined();
  });
});

describe("files", () => {
  it("artifacts go when their time is over, and the oldest when there are too many", async () => {
    await newLoop(place.database, [newTask("a")]);
    const { run } = await started();
    await place.config.patch({ OPENTIGER_ARTIFACTS_SIZE: "10m" }, "test");
    const megabyte = 1024 * 1024;
    const [expired, oldest, newest] = ["expired", "oldest", "newest"].map((name) => fileOf(run, name)) as [
      string,
      string,
      string,
    ];
    const about = { run: run.id, kind: "log" };
    await addArtifact(place.database, { ...about, path: oldest, bytes: 6 * megabyte, keepMs: 60_000 });
    await addArtifact(place.database, { ...about, path: newest, bytes: 6 * megabyte, keepMs: 60_000 });
    await addArtifact(place.database, { ...about, path: expired, bytes: 1, keepMs: -1 });
    await Promise.all([clean(place), clean(place)]);
    expect([expired, oldest, newest].map((path) => existsSync(path))).toEqual([false, false, true]);
    expect(await artifactBytes(place.database)).toBe(6 * megabyte);
    expect(place.lines).toEqual([]);
  });

  it("of a run stay while its loop is open, and then only its artifacts do", async () => {
    const { loop } = await newLoop(place.database, [newTask("a")]);
    const { lease, run } = await started();
    const [journal, diff] = [fileOf(run, "candidate.json"), fileOf(run, "diff")];
    await addArtifact(place.database, { run: run.id, kind: "diff", path: diff, bytes: 1, keepMs: 60_000 });
    await clean(place);
    expect([journal, diff].map((path) => existsSync(path))).toEqual([true, true]);
    await endRun(lease, run);
    await cancelLoop(place.database, loop.id);
    await clean(place);
    expect(readdirSync(join(place.folder, "runs", run.id))).toEqual(["diff"]);
  });

  it("conversations stay while they may be gone on with", async () => {
    const { loop } = await newLoop(place.database, [newTask("a")]);
    const { lease, run } = await started();
    await noteRun(place.database, lease, run.id, { session: "known-one" });
    const folder = join(place.folder, "sessions");
    mkdirSync(folder, { recursive: true });
    for (const name of ["claude_code-known-one", "codex-unknown"]) writeFileSync(join(folder, name), "words");
    await clean(place);
    expect(readdirSync(folder).toSorted()).toEqual(["claude_code-known-one", "codex-unknown"]);
    await cancelLoop(place.database, loop.id);
    utimesSync(join(folder, "codex-unknown"), new Date(0), new Date(0));
    await clean(place);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("of no known run are kept while they are new", async () => {
    const folder = join(place.folder, "runs", "00000000-0000-4000-8000-000000000000");
    mkdirSync(folder, { recursive: true });
    await clean(place);
    expect(existsSync(folder)).toBe(true);
  });
});

async function started(): Promise<{ lease: Lease; run: RunRow }> {
  const lease = await claimed(claimStage(place.database, claimOf("me")));
  const run = await startRun(place.database, lease, { agent: "command", role: "worker" });
  if (!run) throw new Error("the lease is over");
  return { lease, run };
}

/** The first of these tasks has passed and is to be merged, and its loop has used all that it may. */
async function passedWithoutBudget(tasks: NewTask[]): Promise<{ loop: string; lease: Lease }> {
  const { loop } = await newLoop(place.database, tasks);
  const { lease, run } = await started();
  const tokens = { input: 1_000, output: 0, cacheRead: 0, cacheWrite: 0 };
  await noteRun(place.database, lease, run.id, { tokens });
  await endRun(lease, run);
  const id = lease.task ?? "";
  await change(place.database, { what: "task", id, by: "submit", from: "running", fence: lease.fence });
  await change(place.database, { what: "task", id, by: "pass", from: "blocked(awaiting_judge)" });
  await place.database.query(
    `update loops set settings = settings || '{"budget": {"tokens": 1000, "usd": null}}' where id = $1`,
    [loop.id],
  );
  return { loop: loop.id, lease };
}

async function paused(loop: string): Promise<void> {
  const asked = { what: "loop", id: loop, by: "pause", from: "running", to: "paused(budget)" } as const;
  await change(place.database, { ...asked, set: { detail: "It has used all." } });
}

async function merged({ task, fence }: Lease): Promise<void> {
  const asked = { what: "task", id: task ?? "", by: "merge", from: "blocked(awaiting_judge)" } as const;
  const set = { mergedOid: "merged" };
  expect(await change(place.database, { ...asked, fence, set })).toMatchObject({ changed: true });
}

async function endRun({ fence }: Lease, { id }: RunRow): Promise<void> {
  await change(place.database, { what: "run", id, by: "succeed", from: "running", fence });
}

function fileOf({ id }: RunRow, name: string): string {
  const folder = join(place.folder, "runs", id);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, name);
  return path;
}

async function newSandbox(name: string): Promise<Sandbox> {
  const workspaces = [{ path: workspace, readOnly: false }];
  return (await place.backend("host")).create({ name, agent: "shell", workspaces });
}

async function withSilentEngine(): Promise<Place> {
  const nowhere = `unix://${join(workspace, "no-engine.sock")}`;
  const engine = await connectDocker({ env: { ...place.env, DOCKER_HOST: nowhere } });
  return { ...place, backend: async (where) => (where === "host" ? place.backend(where) : engine) };
}

async function sandboxNames(): Promise<string[]> {
  const listed = await (await place.backend("host")).list();
  return listed.map(({ name }) => name).toSorted();
}

async function stateOf(task: string | undefined): Promise<string | undefined> {
  return (await findTask(place.database, task ?? ""))?.state;
}
