import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { TemporaryJudgedLoop } from "../fixture/temporary-judged-loop.ts";
import { claimed, claimOf, newLoop, newTask } from "../fixture/temporary-loops.ts";
import { type TemporaryPlace, temporaryPlace } from "../fixture/temporary-place.ts";
import { LeaseLost } from "../stage/lease-lost.ts";
import { claimStage } from "../state/claims.ts";
import { takeOver } from "../state/lease.ts";
import { findStart } from "./start-point.ts";
import {
  openTaskSandbox,
  removeLeft,
  removeTaskSandboxes,
  stopTaskSandbox,
  taskSandboxes,
} from "./task-sandbox.ts";
import { openWork } from "./work.ts";

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

it("a dispatcher that slept before it stopped what it saw leaves the next one's sandbox running", async () => {
  const work = await claimedWork();
  await newSandbox(work.loop.id);
  const seen = await taskSandboxes(work);
  await removeTaskSandboxes(work, seen);
  const next = await newSandbox(work.loop.id);
  // Nobody has claimed it as far as the sleeper knows.
  const asleep = { ...work, task: { number: 1, id: crypto.randomUUID() } };
  await stopTaskSandbox(asleep, seen);
  expect(await taskSandboxes(work)).toMatchObject([{ id: next, status: "running" }]);
  await stopTaskSandbox(asleep, await taskSandboxes(work));
  expect(await taskSandboxes(work)).toMatchObject([{ id: next, status: "stopped" }]);
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

it("whoever takes a run over leaves its clone as the agent has it, also where it would be set up otherwise by now", async () => {
  const project = { setup: ["echo done >> set-up.log"], verify: [] };
  const task = { role: "worker", title: "It", instructions: "Do it.", needs: [], allowedPaths: [] } as const;
  const loop = await TemporaryJudgedLoop.begin(place, {
    files: {
      "opentiger.json": JSON.stringify(project),
      "README.md": "empty\n",
      ".gitignore": "set-up.log\n",
    },
    settings: { environment: "host" },
    tasks: [task],
  });
  const lease = await loop.claim(1);
  const open = async () => {
    const work = await openWork(place, lease, new AbortController().signal);
    const start = await findStart(work);
    const opened = "failure" in start ? start : await openTaskSandbox(work, start);
    if ("failure" in opened) throw new Error(opened.failure.message);
    await opened.sandbox.close();
    return opened.sandbox.workspaces[0]?.path ?? "";
  };
  const clone = await open();
  writeFileSync(join(clone, "README.md"), "half of a sentence");
  writeFileSync(join(clone, "new.txt"), "new");
  await place.config.patch({ OPENTIGER_NETWORK_POLICY: "deny" }, "test");
  expect(await open()).toBe(clone);
  expect(readFileSync(join(clone, "README.md"), "utf8")).toBe("half of a sentence");
  expect(execFileSync("git", ["-C", clone, "status", "--short"], { encoding: "utf8" })).toContain(
    "?? new.txt",
  );
  expect(readFileSync(join(clone, "set-up.log"), "utf8")).toBe("done\n");
  loop.remove();
});

it("whoever takes a run over needs its sandbox and no other: what one is made of may be gone by then", async () => {
  const task = { role: "worker", title: "It", instructions: "Do it.", needs: [], allowedPaths: [] } as const;
  const loop = await TemporaryJudgedLoop.begin(place, {
    files: { "README.md": "empty\n" },
    settings: { environment: "host" },
    tasks: [task],
  });
  const lease = await loop.claim(1);
  const open = async () => {
    const work = await openWork(place, lease, new AbortController().signal);
    const start = await findStart(work);
    if ("failure" in start) throw new Error(start.failure.message);
    return openTaskSandbox(work, start);
  };
  const first = await open();
  if ("failure" in first) throw new Error(first.failure.message);
  await first.sandbox.close();
  // A new one would be a clone of this.
  rmSync(loop.user, { recursive: true });
  const again = await open();
  expect(again).toMatchObject({ sandbox: { id: first.sandbox.id } });
  if ("sandbox" in again) await again.sandbox.close();
  await (await place.backend("host")).remove(first.sandbox.name, { force: true });
  expect(await open()).toMatchObject({ failure: { type: "removed" } });
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
