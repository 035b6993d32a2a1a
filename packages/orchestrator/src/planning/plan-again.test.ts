import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loopSettings } from "@opentiger/schema";
import { afterAll, beforeAll, expect, it } from "vitest";
import { commitFiles, makeRepository, scratchFolder } from "../../../../tests/setup/user-git.ts";
import { executeStage } from "../dispatch/execute-stage.ts";
import { claimed, claimOf } from "../fixture/temporary-loops.ts";
import { type TemporaryPlace, temporaryPlace } from "../fixture/temporary-place.ts";
import { retryLoop } from "../loops/retry-loop.ts";
import { startLoop } from "../loops/start-loop.ts";
import { claimStage } from "../state/claims.ts";
import { listEvents } from "../state/events.ts";
import { findLoop, type LoopRow } from "../state/loops.ts";

let place: TemporaryPlace;

beforeAll(async () => {
  place = await temporaryPlace();
});

afterAll(() => place.remove());

/** A loop on the host, whose one task needs no planner. */
async function start(user: string): Promise<string> {
  const loop = await startLoop(place, {
    repository: { path: user },
    requirement: "More.",
    source: { kind: "single", mayChange: [] },
    settings: loopSettings.parse({ environment: "host" }),
  });
  return loop.id;
}

/** As a dispatcher does it, and without its pauses. */
async function plan(id: string): Promise<LoopRow | undefined> {
  await place.database.query("update stages set not_before = now() where loop_id = $1", [id]);
  const lease = await claimed(claimStage(place.database, claimOf("me", {}, ["planner"])));
  await executeStage(place, lease, new AbortController().signal);
  return findLoop(place.database, id);
}

it.each([
  ["a project file that could not be read", "{", 1],
  ["a set-up that failed", JSON.stringify({ setup: ["exit 3"], verify: ["true"] }), 2],
])("%s, corrected and committed, is read by the loop that is retried", async (_what, wrong, tries) => {
  const user = makeRepository(join(scratchFolder(), "user"));
  const before = commitFiles(user, { "opentiger.json": wrong });
  const id = await start(user);
  for (let time = 0; time < tries; time++) await plan(id);
  expect(await findLoop(place.database, id)).toMatchObject({ state: "failed", baseOid: before });
  const after = commitFiles(user, {
    "opentiger.json": JSON.stringify({ setup: ["true"], verify: ["true"] }),
  });
  expect(await retryLoop(place, id)).toMatchObject({ baseOid: null, branchOid: null });
  expect(await plan(id)).toMatchObject({ state: "running", baseOid: after, branchOid: after });
  const told = (await listEvents(place.database, { loop: id })).items.filter(
    ({ type }) => type === "loop.baseline",
  );
  expect(told).toMatchObject([{ data: { commit: after, red: [] } }]);
});

it("a set-up that failed is done again when the plan is tried again, and not its failure told twice", async () => {
  const user = makeRepository(join(scratchFolder(), "user"));
  const registry = join(scratchFolder(), "registry");
  commitFiles(user, { "opentiger.json": JSON.stringify({ setup: [`cat ${registry}`], verify: ["true"] }) });
  const id = await start(user);
  expect(await plan(id)).toMatchObject({ state: "planning" });
  writeFileSync(registry, "it is there again\n");
  expect(await plan(id)).toMatchObject({ state: "running" });
});

it("what a set-up on the host changes and leaves is told before anything is worked on", async () => {
  const user = makeRepository(join(scratchFolder(), "user"));
  const setup = ["echo changed > tracked.txt", "touch left.txt"];
  commitFiles(user, {
    "opentiger.json": JSON.stringify({ setup, verify: ["true"] }),
    "tracked.txt": "as it was\n",
  });
  const id = await start(user);
  expect(await plan(id)).toMatchObject({ state: "running" });
  const { items } = await listEvents(place.database, { loop: id });
  expect(items.find(({ type }) => type === "loop.baseline")?.data["notes"]).toEqual([
    "the set-up changes tracked files, which were put back: tracked.txt",
    "the set-up leaves files that are neither tracked nor ignored; they are never committed: left.txt",
  ]);
});

it("a plan that is tried again has the sandboxes of its loop, and one that is made anew leaves those of others", async () => {
  const user = makeRepository(join(scratchFolder(), "user"));
  commitFiles(user, { "opentiger.json": JSON.stringify({ setup: ["exit 3"], verify: ["true"] }) });
  const id = await start(user);
  const [own, others] = [await newSandbox(id), await newSandbox("0therl00")];
  await plan(id);
  expect(await plan(id)).toMatchObject({ state: "failed" });
  expect(await sandboxes()).toEqual(expect.arrayContaining([own, others]));
  commitFiles(user, { "opentiger.json": JSON.stringify({ verify: ["true"] }) });
  await retryLoop(place, id);
  expect(await plan(id)).toMatchObject({ state: "running" });
  expect(await sandboxes()).toContain(others);
  expect(await sandboxes()).not.toContain(own);
});

async function newSandbox(loop: string): Promise<string> {
  const workspaces = [{ path: scratchFolder(), readOnly: false }];
  const backend = await place.backend("host");
  const sandbox = await backend.create({ name: `loop-${loop}-shell-9`, agent: "shell", workspaces });
  await sandbox.close();
  return sandbox.id;
}

async function sandboxes(): Promise<string[]> {
  return (await (await place.backend("host")).list()).map(({ id }) => id);
}
