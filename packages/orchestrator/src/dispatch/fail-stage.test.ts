import { SandboxError } from "@opentiger/sandbox";
import { loopSettings } from "@opentiger/schema";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { OrchestratorError } from "../errors.ts";
import { claimed, claimOf, newLoop, newTask, submit } from "../fixture/temporary-loops.ts";
import { type TemporaryPlace, temporaryPlace } from "../fixture/temporary-place.ts";
import { claimStage } from "../state/claims.ts";
import { listEvents } from "../state/events.ts";
import type { Lease } from "../state/lease.ts";
import { createLoop, findLoop } from "../state/loops.ts";
import { ensureRepository } from "../state/repositories.ts";
import { findRun, startRun } from "../state/runs.ts";
import { openStage } from "../state/stages.ts";
import { findTask } from "../state/tasks.ts";
import { failStage } from "./fail-stage.ts";
import { mostTakeOvers } from "./taken-over.ts";

let place: TemporaryPlace;

beforeAll(async () => {
  place = await temporaryPlace();
});

beforeEach(async () => {
  await place.database.query("truncate loops, repositories cascade");
});

afterAll(() => place.remove());

it.each([
  [new SandboxError("disk_full", "no space left", { remedy: "free some" }), "sandbox", "free some"],
  [
    new OrchestratorError("setup_failed", "npm ci failed", { remedy: "mend it" }),
    "setup",
    "mend it. This loop keeps the opentiger.json of the commit it began with",
  ],
  [new SandboxError("image_missing", "no image", { remedy: "build it" }), "setup", "build it"],
  [new TypeError("x is undefined"), "sandbox", "opentiger dispatcher logs"],
])(
  "%s in a run is a failure that the run keeps, and the task is moved on by its table",
  async (error, type, remedy) => {
    await newLoop(place.database, [newTask("a")]);
    const lease = await claimed(claimStage(place.database, claimOf("me")));
    const run = await startRun(place.database, lease, { agent: "codex", role: "worker" });
    await failStage(place, lease, error);
    const ended = await findRun(place.database, run?.id ?? "");
    expect(ended).toMatchObject({ state: "failed", failure: { type } });
    expect(ended?.failure?.message).toContain(error.message);
    expect(ended?.failure?.remedy).toContain(remedy);
    expect(await stateOf(lease)).not.toBe("running");
  },
);

it("a failure that can never be written down ends the task all the same, once its stage was taken over too often", async () => {
  const { tasks } = await newLoop(place.database, [newTask("a")]);
  const lease = await claimed(claimStage(place.database, claimOf("me")));
  await place.database.query(`update tasks set rework = '{"of": "nobody knows what"}'`);
  const state = async () => (await place.database.query("select status, detail from tasks")).rows;
  const thrown = new Error("it broke");
  await expect(failStage(place, lease, thrown)).rejects.toMatchObject({ code: "internal" });
  expect(await state()).toMatchObject([{ status: "running" }]);
  await failStage(place, { ...lease, takenOver: mostTakeOvers + 1 }, thrown);
  expect(await state()).toMatchObject([{ status: "failed", detail: expect.stringContaining("it broke") }]);
  expect(await openStage(place.database, tasks[0]?.id ?? "")).toBeUndefined();
});

it("a judge that could not judge has not passed anything", async () => {
  await newLoop(place.database, [newTask("a")]);
  await submit(place.database, await claimed(claimStage(place.database, claimOf("me"))));
  const lease = await claimed(claimStage(place.database, claimOf("judge")));
  await failStage(place, lease, new Error("broken"));
  expect(await stateOf(lease)).toBe("blocked(awaiting_judge)");
  const { rows } = await place.database.query("select kind from stages where state <> 'ended'");
  expect(rows).toEqual([{ kind: "judge" }]);
});

it.each([
  [new SandboxError("image_missing", "no image", { remedy: "build it" }), 0],
  [new SandboxError("cli_missing", "no claude", { remedy: "build it" }), 0],
  [new OrchestratorError("setup_failed", "npm ci failed", { remedy: "build it" }), 1],
  [new SandboxError("disk_full", "no space", { remedy: "build it" }), 3],
  [new SandboxError("session_lost", "it is gone", { remedy: "build it" }), 3],
  [new SandboxError("timeout", "too slow", { remedy: "build it" }), 1],
  [new OrchestratorError("git_failed", "it lacks an object", { remedy: "build it" }), 0],
  [new OrchestratorError("project_invalid", "no such key", { remedy: "build it" }), 0],
])(
  "%s in a plan is tried as often again as its table says, and then the loop says why",
  async (error, more) => {
    const loop = await planned();
    for (let time = 0; time <= more; time++) {
      expect((await findLoop(place.database, loop))?.state).toBe("planning");
      await place.database.query("update stages set not_before = now() where loop_id = $1", [loop]);
      await failStage(place, await claimed(claimStage(place.database, claimOf("me"))), error);
    }
    const failed = await findLoop(place.database, loop);
    expect(failed).toMatchObject({ state: "failed", detail: expect.stringContaining(error.message) });
    expect(failed?.detail).toMatch(new RegExp(`build it\\. Then: .opentiger loop retry ${loop}`));
    const told = (await listEvents(place.database, { loop })).items.filter(
      ({ type }) => type === "loop.plan_again",
    );
    expect(told).toHaveLength(more);
    for (const { data } of told) expect(data["detail"]).toContain(error.message);
  },
);

it.each(["plan_invalid", "project_network"] as const)(
  "after %s a loop does not offer a retry, which would find the same",
  async (code) => {
    const loop = await planned();
    const error = new OrchestratorError(code, "so it was said", { remedy: "say it otherwise" });
    await failStage(place, await claimed(claimStage(place.database, claimOf("me"))), error);
    expect(await findLoop(place.database, loop)).toMatchObject({
      state: "failed",
      detail:
        "There is no plan. so it was said. say it otherwise. A retry of this loop would find the same: `opentiger run` starts a new one.",
    });
  },
);

it("a planner's run that broke is ended with its failure, and counts with what broke before there was one", async () => {
  const loop = await planned();
  const broken = new OrchestratorError("setup_failed", "npm ci failed", { remedy: "see npm's words" });
  await failStage(place, await claimed(claimStage(place.database, claimOf("me"))), broken);
  await place.database.query("update stages set not_before = now() where loop_id = $1", [loop]);
  const lease = await claimed(claimStage(place.database, claimOf("me")));
  const run = await startRun(place.database, lease, { agent: "codex", role: "planner" });
  await failStage(place, lease, broken);
  const failed = await findLoop(place.database, loop);
  expect(failed?.state).toBe("failed");
  expect(failed?.detail).toMatch(/npm ci failed.*see npm's words/);
  expect((await findRun(place.database, run?.id ?? ""))?.state).toBe("failed");
});

/** A loop that is to be planned. */
async function planned(): Promise<string> {
  const repository = await ensureRepository(place.database, { path: "/somewhere", name: "somewhere" });
  const { id } = await createLoop(place.database, {
    repository: repository.id,
    requirement: "It should work.",
    source: { kind: "prose" },
    settings: loopSettings.parse({}),
  });
  return id;
}

async function stateOf({ task }: Lease): Promise<string | undefined> {
  return (await findTask(place.database, task ?? ""))?.state;
}
