import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { claimed, claimOf, newLoop, newTask, startedRun, stateOf } from "../../fixture/temporary-loops.ts";
import { type TemporaryPlace, temporaryPlace } from "../../fixture/temporary-place.ts";
import { budgetsOf } from "../../loops/budget.ts";
import { change } from "../../state/change.ts";
import { claimStage } from "../../state/claims.ts";
import type { Lease } from "../../state/lease.ts";
import { findLoop } from "../../state/loops.ts";
import { noteRun, type RunRow } from "../../state/runs.ts";
import type { NewTask } from "../../state/tasks.ts";
import { reconcile } from "./reconcile.ts";

let place: TemporaryPlace;

beforeAll(async () => {
  place = await temporaryPlace();
});

beforeEach(async () => {
  await place.database.query("truncate loops, repositories cascade");
  place.lines.length = 0;
});

afterAll(() => place.remove());

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
    expect(await stateOf(place.database, tasks[2]?.id)).toBe("blocked(dependency_failed)");
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
    expect(await stateOf(place.database, lease.task ?? "")).toBe("done");
    await reconcile(place);
    expect((await findLoop(place.database, loop))?.state, "task b would cost").toBe("paused(budget)");
    expect(await claimStage(place.database, claimOf("me"))).toMatchObject({ claimed: false });
  });

  it("a loop without a budget whose other tasks need one that failed has failed, and waits for nobody", async () => {
    const { loop } = await newLoop(place.database, [newTask("a"), newTask("b", { needs: [1] })]);
    const { lease, run } = await startedRun(place.database);
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

/** The first of these tasks has passed and is to be merged, and its loop has used all that it may. */
async function passedWithoutBudget(tasks: NewTask[]): Promise<{ loop: string; lease: Lease }> {
  const { loop } = await newLoop(place.database, tasks);
  const { lease, run } = await startedRun(place.database);
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
