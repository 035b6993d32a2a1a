import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { claimed, claimOf, newLoop, newTask } from "../fixture/temporary-loops.ts";
import { type TemporaryPlace, temporaryPlace } from "../fixture/temporary-place.ts";
import { LeaseLost } from "../stage/lease-lost.ts";
import { claimStage } from "../state/claims.ts";
import { takeOver } from "../state/lease.ts";
import { removeLeft, removeTaskSandboxes, taskSandboxes } from "./task-sandbox.ts";

let place: TemporaryPlace;
let workspace: string;

beforeAll(async () => {
  place = await temporaryPlace();
  workspace = mkdtempSync(join(tmpdir(), "opentiger-ws-"));
});

beforeEach(async () => {
  await place.database.query("truncate loops, repositories cascade");
  await (await place.backend("host")).reset();
});

afterAll(async () => {
  await place.remove();
  rmSync(workspace, { recursive: true, force: true });
});

it("a dispatcher that slept before it removed what it saw leaves the next one's sandbox alone", async () => {
  const work = await claimedWork();
  await newSandbox(work.loop.id);
  const seen = await taskSandboxes(work);
  await removeTaskSandboxes(work, seen);
  const next = await newSandbox(work.loop.id);
  await removeTaskSandboxes(work, seen);
  expect((await taskSandboxes(work)).map(({ id }) => id)).toEqual([next]);
});

it("one that has lost its stage removes nothing, and one that has it removes what is left", async () => {
  const work = await claimedWork();
  await newSandbox(work.loop.id);
  const taker = { owner: "heir", leaseMs: 60_000, deadOwner: "me" };
  const lease = await takeOver(place.database, work.lease, taker);
  await expect(removeLeft(work)).rejects.toBeInstanceOf(LeaseLost);
  expect(await taskSandboxes(work)).toHaveLength(1);
  await removeLeft({ ...work, lease: lease ?? work.lease });
  expect(await taskSandboxes(work)).toEqual([]);
});

async function claimedWork() {
  const { loop } = await newLoop(place.database, [newTask("a")]);
  const lease = await claimed(claimStage(place.database, claimOf("me")));
  return { place, lease, loop, task: { number: 1 }, environment: "host" } as const;
}

async function newSandbox(loop: string): Promise<string> {
  const backend = await place.backend("host");
  const workspaces = [{ path: workspace, readOnly: false }];
  const sandbox = await backend.create({ name: `loop-${loop}-shell-1`, agent: "shell", workspaces });
  await sandbox.close();
  return sandbox.id;
}
