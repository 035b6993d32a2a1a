import { SandboxError } from "@opentiger/sandbox";
import { loopSettings } from "@opentiger/schema";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { OrchestratorError } from "../errors.ts";
import { type TemporaryPlace, temporaryPlace } from "../merging/temporary-place.ts";
import { claimStage } from "../state/claims.ts";
import type { Lease } from "../state/lease.ts";
import { createLoop, findLoop } from "../state/loops.ts";
import { ensureRepository } from "../state/repositories.ts";
import { findRun, startRun } from "../state/runs.ts";
import { findTask } from "../state/tasks.ts";
import { claimed, claimOf, newLoop, newTask, submit } from "../state/temporary-loops.ts";
import { failStage } from "./fail-stage.ts";

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
  [new OrchestratorError("setup_failed", "npm ci failed", { remedy: "mend it" }), "setup", "mend it"],
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

it("a judge that could not judge has not passed anything", async () => {
  await newLoop(place.database, [newTask("a")]);
  await submit(place.database, await claimed(claimStage(place.database, claimOf("me"))));
  const lease = await claimed(claimStage(place.database, claimOf("judge")));
  await failStage(place, lease, new Error("broken"));
  expect(await stateOf(lease)).toBe("blocked(awaiting_judge)");
  const { rows } = await place.database.query("select kind from stages where state <> 'ended'");
  expect(rows).toEqual([{ kind: "judge" }]);
});

it("a plan that could not be made fails its loop, with the reason and what mends it", async () => {
  const repository = await ensureRepository(place.database, { path: "/somewhere", name: "somewhere" });
  const loop = await createLoop(place.database, {
    repository: repository.id,
    requirement: "It should work.",
    source: { kind: "prose" },
    settings: loopSettings.parse({}),
  });
  const lease = await claimed(claimStage(place.database, claimOf("me")));
  const run = await startRun(place.database, lease, { agent: "codex", role: "planner" });
  await failStage(
    place,
    lease,
    new SandboxError("image_missing", "no image", { remedy: "opentiger image build" }),
  );
  const failed = await findLoop(place.database, loop.id);
  expect(failed?.state).toBe("failed");
  expect(failed?.detail).toMatch(/no image.*opentiger image build/);
  expect((await findRun(place.database, run?.id ?? ""))?.state).toBe("failed");
});

async function stateOf({ task }: Lease): Promise<string | undefined> {
  return (await findTask(place.database, task ?? ""))?.state;
}
