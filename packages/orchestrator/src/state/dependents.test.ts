import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryDatabase } from "../fixture/temporary-database.ts";
import { newLoop, newTask } from "../fixture/temporary-loops.ts";
import { loopsToSettle } from "../recovery/reconcile/loops-to-look-at.ts";
import { change } from "./change.ts";
import type { Database } from "./database.ts";
import { settleDependents } from "./dependents.ts";
import { updateTask } from "./edited-tasks.ts";
import { heldTests, testedWorker } from "./held-tests.ts";
import { refreshReadiness } from "./readiness.ts";
import { openStage } from "./stages.ts";
import { listTasks, type TaskRow } from "./tasks.ts";

const instance = await temporaryDatabase();

let database: Database;

beforeAll(async () => {
  database = await instance.open();
});

afterAll(() => instance.remove());

async function tasksOf(loop: string): Promise<TaskRow[]> {
  return (await listTasks(database, { loop })).items;
}

async function putInto(id: string | undefined, status: string, more = ""): Promise<void> {
  await database.query(`update tasks set status = $2, reason = null ${more} where id = $1`, [id, status]);
}

it("whoever needs a task that ended badly, however far, waits for it and says for whom", async () => {
  const { loop, tasks } = await newLoop(database, [
    newTask("a"),
    newTask("b"),
    newTask("c", { needs: [1] }),
    newTask("d", { needs: [2, 3] }),
    newTask("e", { needs: [4] }),
    newTask("f"),
  ]);
  expect(await settleDependents(database, loop.id)).toEqual({ blocked: [], unblocked: [] });
  await putInto(tasks[0]?.id, "failed");
  await putInto(tasks[1]?.id, "cancelled");
  const { blocked } = await settleDependents(database, loop.id);
  expect(blocked).toEqual([tasks[2]?.id, tasks[3]?.id, tasks[4]?.id]);
  const both = "It needs task 1 (a), which failed, and task 2 (b), which was cancelled.";
  expect((await tasksOf(loop.id)).map(({ state, detail }) => [state, detail])).toEqual([
    ["failed", null],
    ["cancelled", null],
    ["blocked(dependency_failed)", "It needs task 1 (a), which failed."],
    ["blocked(dependency_failed)", both],
    ["blocked(dependency_failed)", both],
    ["queued", null],
  ]);
  expect(await settleDependents(database, loop.id)).toEqual({ blocked: [], unblocked: [] });

  await change(database, { what: "task", id: tasks[0]?.id ?? "", by: "retry", from: "failed" });
  expect(await settleDependents(database, loop.id)).toEqual({ blocked: [], unblocked: [tasks[2]?.id] });
  expect((await tasksOf(loop.id))[4]?.detail).toBe("It needs task 2 (b), which was cancelled.");
});

it.each(["needs_rework", "quota_wait"])(
  "a task in %s that was edited to need one that ended badly waits for it, and then goes on with what it knew",
  async (reason) => {
    const { loop, tasks } = await newLoop(database, [newTask("a"), newTask("b")]);
    const [needed = "", id = ""] = tasks.map((task) => task.id);
    const points = [{ by: "judge", file: null, line: null, text: "wrong" }] as const;
    const rework = { failure: "judge", points, session: "s", agent: "codex", from: "c", sandbox: null };
    const notBefore = new Date(Date.now() + 3_600_000);
    await database.query(
      "update tasks set status = 'blocked', reason = $2, rework = $3::jsonb, not_before = $4 where id = $1",
      [id, reason, JSON.stringify(rework), notBefore],
    );
    await putInto(needed, "failed");
    expect(await loopsToSettle(database)).not.toContain(loop.id);
    await database.transaction((on) => updateTask(on, { id, loop: loop.id }, { needs: [1] }));
    expect(await loopsToSettle(database)).toContain(loop.id);
    expect(await settleDependents(database, loop.id)).toEqual({ blocked: [id], unblocked: [] });
    expect((await tasksOf(loop.id))[1]).toMatchObject({
      state: "blocked(dependency_failed)",
      detail: "It needs task 1 (a), which failed.",
    });
    expect(await openStage(database, id)).toBeUndefined();
    await change(database, { what: "task", id: needed, by: "retry", from: "failed" });
    expect(await settleDependents(database, loop.id)).toEqual({ blocked: [], unblocked: [id] });
    expect((await tasksOf(loop.id))[1]).toMatchObject({ state: "queued", detail: null, rework, notBefore });
    await putInto(needed, "done");
    await database.transaction((on) => refreshReadiness(on, loop.id));
    expect(await openStage(database, id)).toMatchObject({ kind: "run", state: "ready", notBefore });
  },
);

it("two who settle at the same time block each task once", async () => {
  const { loop, tasks } = await newLoop(database, [newTask("a"), newTask("b", { needs: [1] })]);
  await putInto(tasks[0]?.id, "failed");
  const settled = await Promise.all([1, 2, 3].map(() => settleDependents(database, loop.id)));
  expect(settled.flatMap(({ blocked }) => blocked)).toEqual([tasks[1]?.id]);
});

it("held tests are those of a tester, done, judged, and not on the branch yet", async () => {
  const { tasks } = await newLoop(database, [
    newTask("t", { role: "tester" }),
    newTask("other", { role: "tester" }),
    newTask("w"),
    newTask("v", { needs: [1, 2, 3] }),
  ]);
  const [tests, other, worker, needing] = tasks.map(({ id }) => id);
  expect(await testedWorker(database, tests ?? "")).toMatchObject({ id: needing });
  expect(await testedWorker(database, needing ?? "")).toBeUndefined();
  expect(await heldTests(database, needing ?? "")).toEqual([]);
  await putInto(tests, "done", ", candidate_oid = 'c1'");
  await putInto(other, "done", ", candidate_oid = 'c2', merged_oid = 'm2'");
  await putInto(worker, "done", ", candidate_oid = 'c3'");
  expect(await heldTests(database, needing ?? "")).toMatchObject([{ id: tests, candidateOid: "c1" }]);
});
