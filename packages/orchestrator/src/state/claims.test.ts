import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { temporaryDatabase } from "../fixture/temporary-database.ts";
import { claimed, claimOf, newLoop, newTask, submit } from "../fixture/temporary-loops.ts";
import { advanceBranch } from "./branch.ts";
import { change } from "./change.ts";
import { candidatesQuery } from "./claim-candidates.ts";
import { type Claim, claimStage } from "./claims.ts";
import type { Database } from "./database.ts";
import type { Lease } from "./lease.ts";
import { allRows, type Queryable } from "./rows.ts";
import { findTask } from "./tasks.ts";

const instance = await temporaryDatabase();

let database: Database;
let other: Database;

beforeAll(async () => {
  database = await instance.open({ program: "one" });
  other = await instance.open({ program: "other" });
});

beforeEach(async () => {
  await database.query("truncate loops, repositories cascade");
});

afterAll(() => instance.remove());

describe("a claim", () => {
  it("makes the task running, and its stage the owner's until the lease ends", async () => {
    const { tasks } = await newLoop(database, [newTask("a")]);
    const lease = await claimed(claimStage(database, claimOf("me")));
    expect(lease).toMatchObject({ task: tasks[0]?.id, kind: "run", role: "worker", owner: "me", fence: 1 });
    expect(await findTask(database, lease.task ?? "")).toMatchObject({ state: "running", fence: 1 });
    expect(await claimStage(database, claimOf("me"))).toEqual({
      claimed: false,
      busy: false,
      overBudget: [],
    });
  });

  it("of a task waits until all that it needs is done, not only judged", async () => {
    const { loop, tasks } = await newLoop(database, [newTask("a"), newTask("b", { needs: [1] })]);
    const first = await claimed(claimStage(database, claimOf("me")));
    await submit(database, first);
    const judge = await claimed(claimStage(database, claimOf("me")));
    expect(judge).toMatchObject({ kind: "judge", task: tasks[0]?.id });
    await move(judge, "pass");
    const merge = await claimed(claimStage(database, claimOf("me")));
    expect(merge).toMatchObject({ kind: "merge", role: "merger" });
    expect(await claimStage(database, claimOf("me"))).toMatchObject({ claimed: false });
    const advance = {
      loop: loop.id,
      task: merge.task ?? "",
      fence: merge.fence,
      fromOid: loop.baseOid,
      toOid: "1",
    };
    expect(await advanceBranch(database, advance)).toMatchObject({ advanced: true });
    expect(await advanceBranch(database, advance)).toEqual({ advanced: false, branchOid: "1" });
    expect(await claimed(claimStage(database, claimOf("me")))).toMatchObject({
      kind: "run",
      task: tasks[1]?.id,
    });
  });

  it("is not made where another task that could touch the same paths is running or being judged", async () => {
    await newLoop(database, [
      newTask("src/a"),
      newTask("src/b", { allowedPaths: ["src/**"] }),
      newTask("docs"),
    ]);
    const first = await claimed(claimStage(database, claimOf("me")));
    const third = await claimed(claimStage(database, claimOf("me")));
    expect(await titles([first, third])).toEqual(["src/a", "docs"]);
    await submit(database, first);
    const run = claimOf("me", {}, ["worker"]);
    expect(await claimStage(database, run)).toMatchObject({ claimed: false });
    const judge = await claimed(claimStage(database, claimOf("me")));
    await move(judge, "give_up");
    expect(await titles([await claimed(claimStage(database, run))])).toEqual(["src/b"]);
  });

  it("of a task without paths is made alone, and nothing beside it", async () => {
    await newLoop(database, [newTask("all", { allowedPaths: [] }), newTask("b")]);
    await claimed(claimStage(database, claimOf("me")));
    expect(await claimStage(database, claimOf("me"))).toMatchObject({ claimed: false });
    await newLoop(database, [newTask("b"), newTask("all", { allowedPaths: [] })]);
    await claimed(claimStage(database, claimOf("me")));
    expect(await claimStage(database, claimOf("me"))).toMatchObject({ claimed: false });
  });

  it("finds what may run behind any number of tasks that may not", async () => {
    const same = Array.from({ length: 60 }, (_, index) => newTask(`t${index}`, { allowedPaths: ["same"] }));
    await newLoop(database, [...same, newTask("free")]);
    await claimed(claimStage(database, claimOf("me")));
    expect(await titles([await claimed(claimStage(database, claimOf("me")))])).toEqual(["free"]);
  });

  it("is not made in a loop that is paused, and is when it goes on", async () => {
    const { loop } = await newLoop(database, [newTask("a")]);
    await change(database, { what: "loop", id: loop.id, by: "pause", from: "running", to: "paused(asked)" });
    expect(await claimStage(database, claimOf("me"))).toMatchObject({ claimed: false });
    await change(database, { what: "loop", id: loop.id, by: "resume", from: "paused(asked)" });
    expect(await claimStage(database, claimOf("me"))).toMatchObject({ claimed: true });
  });

  it("does not wait for a loop that somebody is changing, and says so", async () => {
    const { tasks } = await newLoop(database, [newTask("a")]);
    const busy = await other.transaction(async (on) => {
      await change(on, { what: "task", id: tasks[0]?.id ?? "", by: "pause", from: "queued" });
      return claimStage(database, claimOf("me"));
    });
    expect(busy).toEqual({ claimed: false, busy: true, overBudget: [] });
  });

  it("is not made before its time", async () => {
    const { tasks } = await newLoop(database, [newTask("a")]);
    const lease = await claimed(claimStage(database, claimOf("me")));
    const notBefore = new Date(Date.now() + 3_600_000);
    const waiting = { what: "task", id: tasks[0]?.id ?? "", by: "wait_for_quota", from: "running" } as const;
    await change(database, { ...waiting, fence: lease.fence, set: { notBefore } });
    expect(await claimStage(database, claimOf("me"))).toMatchObject({ claimed: false });
    await database.query("update stages set not_before = now() where state = 'ready'");
    expect(await claimed(claimStage(database, claimOf("me")))).toMatchObject({ kind: "run" });
  });
});

describe("a loop of which a row is not as it must be", () => {
  const broken: [string, (loop: string) => string][] = [
    ["a task that cannot be read", () => `update tasks set rework = '{"of": "nobody knows what"}'`],
    ["a task that is somewhere else than its stage", () => "update tasks set status = 'done'"],
    ["a budget that is none", () => `update loops set settings = '{"budget": "much"}'`],
    [
      "a task that the database does not let change",
      (
        loop,
      ) => `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
        create trigger refused before update on tasks for each row when (new.loop_id = '${loop}')
        execute function refuse()`,
    ],
  ];

  afterEach(() => database.query("drop function if exists refuse cascade"));

  it.each(broken)("(%s) is left out and said, and others are claimed", async (_what, breaking) => {
    const { loop } = await newLoop(database, [newTask("a"), newTask("b")]);
    await claimed(claimStage(database, claimOf("me")));
    await database.query(breaking(loop.id));
    const { loop: sound } = await newLoop(database, [newTask("c")]);
    const troubles: string[] = [];
    const { limits, ...request } = claimOf("me");
    const none = { tokens: null, usd: null };
    const claim = () =>
      claimStage(database, {
        ...request,
        limits: { ...limits, budgets: { loop: { tokens: 1_000, usd: null }, day: none } },
        onTrouble: (id) => troubles.push(id),
      });
    expect(await claimed(claim())).toMatchObject({ loop: sound.id });
    expect(await claim()).toEqual({ claimed: false, busy: false, overBudget: [] });
    expect(new Set(troubles)).toEqual(new Set([loop.id]));
    const { rows } = await database.query("select fence from tasks where loop_id = $1 and number = 2", [
      loop.id,
    ]);
    expect(rows, "nothing is left of the try").toEqual([{ fence: 0 }]);
  });
});

describe("two dispatchers at once", () => {
  const both = (count: number, limits?: Parameters<typeof claimOf>[1]): Promise<Claim[]> =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        claimStage(index % 2 ? database : other, claimOf(`owner-${index}`, limits)),
      ),
    );

  it("never claim the same stage", async () => {
    await newLoop(
      database,
      Array.from({ length: 12 }, (_, index) => newTask(`t${index}`)),
    );
    const leases = (await both(16)).flatMap((claim) => (claim.claimed ? [claim.lease] : []));
    expect(leases).toHaveLength(12);
    expect(new Set(leases.map(({ task }) => task)).size).toBe(12);
  });

  it.each([1, 2, 3])("never pass a limit together, in whichever loops (%i)", async (running) => {
    for (let loops = 0; loops < 4; loops++) {
      await newLoop(database, [newTask("a"), newTask("b", { role: "tester" }), newTask("c")]);
    }
    const claims = await both(10, { running, roles: { worker: 2 } });
    const leases = claims.flatMap((claim) => (claim.claimed ? [claim.lease] : []));
    expect(leases).toHaveLength(running);
    expect(leases.filter(({ role }) => role === "worker").length).toBeLessThanOrEqual(2);
  });

  it("never work on the same paths together", async () => {
    for (let round = 0; round < 5; round++) {
      await newLoop(database, [
        newTask(`one${round}`, { allowedPaths: ["src/**"] }),
        newTask(`two${round}`, { allowedPaths: ["src/b.ts"] }),
        newTask(`three${round}`, { allowedPaths: ["src/c.ts", "src/b.ts"] }),
      ]);
    }
    const leases = (await both(16)).flatMap((claim) => (claim.claimed ? [claim.lease] : []));
    expect(leases).toHaveLength(5);
    expect(new Set(leases.map(({ loop }) => loop)).size).toBe(5);
  });
});

it("a claim reads what it looks at, however much is queued", async () => {
  const { loop } = await newLoop(database, [newTask("a")]);
  await fill(loop.id, 100);
  const few = await pagesRead();
  await fill(loop.id, 20_000);
  // One level more of the index, and nothing else.
  expect(await pagesRead()).toBeLessThanOrEqual(2 * few + 10);
  const [before, after] = await database.transaction(async (on) => {
    const first = await scans(on);
    await claimed(claimStage(on, claimOf("me")));
    return [first, await scans(on)];
  });
  for (const table of ["stages", "tasks"] as const) {
    expect(after[table].whole).toBe(before[table].whole);
    expect(after[table].found).toBeGreaterThan(before[table].found);
  }
});

/** What this connection has read until now, as far as it has not yet told the others: what came before may be in it. */
async function scans(on: Queryable) {
  const row = z.object({ name: z.string(), whole: z.number(), found: z.number() });
  const rows = await allRows(
    on,
    row,
    `select relname as name, seq_scan as whole, idx_scan as found from pg_stat_xact_user_tables
     where relname in ('stages', 'tasks')`,
  );
  const of = (name: string) => rows.find((each) => each.name === name) ?? { whole: 0, found: 0 };
  return { stages: of("stages"), tasks: of("tasks") };
}

/** Tasks that are queued, as `addTasks` makes them. */
async function fill(loop: string, count: number): Promise<void> {
  await database.query(
    `with added as (
       insert into tasks (loop_id, number, title, role, instructions, allowed_paths, risk, status)
       select $1, (select max(number) from tasks) + n, 'one of many', 'worker', '', array['p' || n], 'low', 'queued'
       from generate_series(1, $2::int) n returning loop_id, id)
     insert into stages (loop_id, task_id, kind, role, state) select loop_id, id, 'run', 'worker', 'ready' from added`,
    [loop, count],
  );
  await database.query("vacuum (analyze) stages, tasks");
}

async function pagesRead(): Promise<number> {
  const values = ["worker", "-infinity", 0, [], 20];
  const { rows } = await database.query(`explain (analyze, buffers, format json) ${candidatesQuery}`, values);
  const [, hit, read] =
    /"Shared Hit Blocks":(\d+),"Shared Read Blocks":(\d+)/.exec(JSON.stringify(rows)) ?? [];
  return Number(hit) + Number(read);
}

async function move({ task, fence }: Lease, by: "pass" | "give_up"): Promise<void> {
  const from = "blocked(awaiting_judge)";
  expect((await change(database, { what: "task", id: task ?? "", by, from, fence })).changed).toBe(true);
}

async function titles(leases: readonly Lease[]): Promise<(string | undefined)[]> {
  return Promise.all(leases.map(async ({ task }) => (await findTask(database, task ?? ""))?.title));
}
