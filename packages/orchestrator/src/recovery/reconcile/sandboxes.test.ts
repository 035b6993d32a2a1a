import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { newLoop, newTask, startedRun, submit } from "../../fixture/temporary-loops.ts";
import { type TemporaryPlace, temporaryPlace } from "../../fixture/temporary-place.ts";
import { TemporarySandboxes, withSilentEngine } from "../../fixture/temporary-sandboxes.ts";
import { cancelLoop } from "../../loops/cancel-loop.ts";
import { cancelTask } from "../../loops/cancel-task.ts";
import { pauseTask } from "../../loops/pause-task.ts";
import { sandboxOwner } from "../../project/loop-sandboxes.ts";
import { change } from "../../state/change.ts";
import { lockLoop } from "../../state/locks.ts";
import { oneRow, type Queryable } from "../../state/rows.ts";
import { clean } from "./clean.ts";
import { isUnneeded } from "./sandboxes.ts";

let place: TemporaryPlace;
let sandboxes: TemporarySandboxes;

beforeAll(async () => {
  place = await temporaryPlace();
  sandboxes = new TemporarySandboxes(place);
});

beforeEach(async () => {
  await place.database.query("truncate loops, repositories cascade");
  place.lines.length = 0;
});

afterEach(() => sandboxes.removeAll());

afterAll(async () => {
  await sandboxes.remove();
  await place.remove();
});

describe("B6 sandboxes", () => {
  it("of a loop that was cancelled are removed, all of them, and nobody else's", async () => {
    const { loop } = await newLoop(place.database, [newTask("a")]);
    const { loop: open } = await newLoop(place.database, [newTask("b")]);
    const [gone, kept] = [loop.id, open.id];
    const removed = [`loop-${gone}-shell`, `loop-${gone}-shell-1`, `loop-${gone}-shell-1-judge`];
    const left = [`loop-${kept}-shell`, `loop-${kept}-shell-1`, "loop-zzzzzzzz-shell", "my-own"];
    for (const name of [...removed, ...left]) await (await sandboxes.make(name)).close();
    await cancelLoop(place.database, gone);
    await clean(place);
    expect(await sandboxes.names()).toEqual(left.toSorted());
  });

  it("of a task that has ended are removed while its loop goes on", async () => {
    const { loop, tasks } = await newLoop(place.database, [newTask("a"), newTask("b")]);
    const names = [1, 2].map((number) => `loop-${loop.id}-shell-${number}`);
    for (const name of names) await (await sandboxes.make(name)).close();
    await cancelTask(place.database, tasks[0]?.id ?? "");
    await clean(place);
    expect(await sandboxes.names()).toEqual([`loop-${loop.id}-shell-2`]);
  });

  it("of a task that waits for its quota are stopped and kept, where who should have done so was killed", async () => {
    const { loop, tasks } = await newLoop(place.database, [newTask("a"), newTask("b")]);
    const { lease } = await startedRun(place.database);
    const asked = { what: "task", id: tasks[0]?.id ?? "", by: "wait_for_quota", from: "running" } as const;
    await change(place.database, { ...asked, fence: lease.fence });
    for (const number of [1, 2]) await (await sandboxes.make(`loop-${loop.id}-shell-${number}`)).close();
    await clean(place);
    expect(await sandboxes.statuses()).toEqual(["stopped", "running"]);
  });

  it("of a loop whose plan waits for a person are stopped, and started by whoever opens them", async () => {
    const { loop: waiting } = await newLoop(place.database, [newTask("a")], { approved: false });
    const { loop: running } = await newLoop(place.database, [newTask("b")]);
    const names = [waiting.id, running.id].map((id) => `loop-${id}-shell`);
    for (const name of names) await (await sandboxes.make(name)).close();
    await clean(place);
    const backend = await place.backend("host");
    const statuses = new Map((await backend.list()).map(({ name, status }) => [name, status]));
    expect(names.map((name) => statuses.get(name))).toEqual(["stopped", "running"]);
    await (await backend.open(names[0] ?? "")).close();
    expect((await backend.list()).find(({ name }) => name === names[0])?.status).toBe("running");
  });

  it("of a task that waits for a budget are stopped and kept, where who should have done so was killed", async () => {
    const { loop, tasks } = await newLoop(place.database, [newTask("a"), newTask("b")]);
    const first = await startedRun(place.database);
    await startedRun(place.database);
    const again = { what: "task", id: tasks[0]?.id ?? "", by: "again", from: "running" } as const;
    await change(place.database, { ...again, fence: first.lease.fence });
    for (const number of [1, 2]) await (await sandboxes.make(`loop-${loop.id}-shell-${number}`)).close();
    const statuses = async () => {
      await clean(place);
      return sandboxes.statuses();
    };
    expect(await statuses(), "it may be begun any moment").toEqual(["running", "running"]);
    await paused(loop.id);
    expect(await statuses(), "the other one is at work").toEqual(["stopped", "running"]);
  });

  it("of a task that a person paused, or that waits for one that failed, are stopped and kept", async () => {
    const { loop, tasks } = await newLoop(place.database, [
      newTask("a"),
      newTask("b"),
      newTask("c", { needs: [2] }),
    ]);
    const { lease } = await startedRun(place.database);
    await startedRun(place.database);
    for (const number of [1, 2, 3]) await (await sandboxes.make(`loop-${loop.id}-shell-${number}`)).close();
    const again = { what: "task", id: tasks[0]?.id ?? "", by: "again", from: "running" } as const;
    await change(place.database, { ...again, fence: lease.fence });
    await pauseTask(place.database, tasks[0]?.id ?? "");
    const blocked = { what: "task", id: tasks[2]?.id ?? "", by: "block", from: "queued" } as const;
    await change(place.database, blocked);
    await clean(place);
    expect(await sandboxes.statuses(), "the second one is at work").toEqual([
      "stopped",
      "running",
      "stopped",
    ]);
  });

  it("of a task whose work waits for the judge are removed, where who should have done so was killed", async () => {
    const { loop } = await newLoop(place.database, [newTask("a")]);
    const { lease } = await startedRun(place.database);
    const names = ["shell-1", "baseline-1", "shell-1-judge"].map((name) => `loop-${loop.id}-${name}`);
    for (const name of names) await (await sandboxes.make(name)).close();
    await clean(place);
    expect(await sandboxes.names(), "it is worked on").toEqual(names.slice(0, 2).toSorted());
    await submit(place.database, lease);
    await (await sandboxes.make(names[2] ?? "")).close();
    await clean(place);
    expect(await sandboxes.names(), "somebody is about to").toEqual(names.toSorted());
    await place.database.query("update tasks set updated_at = now() - interval '5 minutes'");
    await clean(place);
    expect(await sandboxes.names()).toEqual([names[2]]);
  });

  it("that are to be stopped are those that were seen, and none that has the name of one by then", async () => {
    const { loop, tasks } = await newLoop(place.database, [newTask("a")]);
    const { lease } = await startedRun(place.database);
    const asked = { what: "task", id: tasks[0]?.id ?? "", by: "wait_for_quota", from: "running" } as const;
    await change(place.database, { ...asked, fence: lease.fence });
    const name = `loop-${loop.id}-shell-1`;
    await (await sandboxes.make(name)).close();
    let cleaning: Promise<boolean> | undefined;
    await place.database.transaction(async (on) => {
      await lockLoop(on, loop.id);
      cleaning = clean(place);
      await vi.waitFor(async () => expect(await waitingForLoops(on)).toBe(1), 10_000);
      await (await place.backend("host")).remove(name, { force: true });
      await (await sandboxes.make(name)).close();
    });
    expect(await cleaning).toBe(true);
    expect(await sandboxes.statuses()).toEqual(["running"]);
    expect(place.lines.filter((line) => !line.includes("is stopped"))).toEqual([]);
  });

  it.each([
    ["a task that runs", { task: 1, judge: false }, "running", 0, false],
    ["a task that waits for its quota", { task: 1, judge: false }, "blocked(quota_wait)", 1_000, false],
    ["one that has waited for too long", { task: 1, judge: false }, "blocked(quota_wait)", 9_000, true],
    [
      "a task whose work was just handed over",
      { task: 1, judge: false },
      "blocked(awaiting_judge)",
      9_000,
      false,
    ],
    ["a task whose work is judged", { task: 1, judge: false }, "blocked(awaiting_judge)", 90_000, true],
    ["a task that begins its rework anew", { task: 1, judge: false }, "blocked(needs_rework)", 90_000, true],
    ["a task that a person paused", { task: 1, judge: false }, "blocked(paused)", 9_000, false],
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

it("where an engine does not answer what has ended on the host is removed all the same", async () => {
  const { loop } = await newLoop(place.database, [newTask("a")]);
  await (await sandboxes.make(`loop-${loop.id}-shell`)).close();
  await cancelLoop(place.database, loop.id);
  expect(await clean(await withSilentEngine(place))).toBe(true);
  expect(await sandboxes.names()).toEqual([]);
  expect(place.lines.filter((line) => line.includes("does not answer"))).toEqual([]);
});

async function paused(loop: string): Promise<void> {
  const asked = { what: "loop", id: loop, by: "pause", from: "running", to: "paused(budget)" } as const;
  await change(place.database, { ...asked, set: { detail: "It has used all." } });
}

async function waitingForLoops(on: Queryable): Promise<number> {
  const { count } = await oneRow(
    on,
    z.object({ count: z.number() }),
    "select count(*) from pg_locks where locktype = 'advisory' and not granted",
  );
  return count;
}
