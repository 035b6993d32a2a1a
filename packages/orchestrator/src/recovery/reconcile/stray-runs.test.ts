import { openState } from "@opentiger/sandbox";
import { defaultNetworkSettings, stageRoles } from "@opentiger/schema";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { takeOverAbandoned } from "../../dispatch/abandoned-leases.ts";
import { newLoop, newTask, startedRun, stateOf } from "../../fixture/temporary-loops.ts";
import { type TemporaryPlace, temporaryPlace } from "../../fixture/temporary-place.ts";
import { TemporarySandboxes, withSilentEngine } from "../../fixture/temporary-sandboxes.ts";
import { cancelTask } from "../../loops/cancel-task.ts";
import { change } from "../../state/change.ts";
import { heartbeat, type Lease } from "../../state/lease.ts";
import { findRun, noteRun } from "../../state/runs.ts";
import { endStrayRuns } from "./stray-runs.ts";

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

it("a run whose task was cancelled is cancelled with its agent, and what else runs in its sandbox goes on", async () => {
  const { loop, tasks } = await newLoop(place.database, [newTask("a")]);
  const { lease, run } = await startedRun(place.database);
  const sandbox = await sandboxes.make(`loop-${loop.id}-shell-1`);
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

it("one whose stage was ended is lost when nobody cancelled it, also where its sandbox is gone", async () => {
  const { tasks } = await newLoop(place.database, [newTask("a")]);
  const { lease, run } = await startedRun(place.database);
  await noteRun(place.database, lease, run.id, { sandbox: "loop-00000000-shell-1" });
  const again = { what: "task", id: tasks[0]?.id ?? "", by: "again", from: "running" } as const;
  await change(place.database, { ...again, fence: lease.fence });
  await endStrayRuns(place);
  expect((await findRun(place.database, run.id))?.state).toBe("lost");
});

it("one is left alone while somebody has its stage and says so, however long it takes", async () => {
  await newLoop(place.database, [newTask("a")]);
  const { lease, run } = await startedRun(place.database);
  await place.database.query("update runs set started_at = now() - interval '3 days'");
  await place.database.query("update stages set created_at = now() - interval '3 days'");
  expect(await heartbeat(place.database, lease, 60_000)).toBeDefined();
  await endStrayRuns(place);
  const taken: number[] = [];
  const taker = { owner: "another", leaseMs: 60_000, roles: stageRoles, own: new Set<number>() };
  const hears = { begin: ({ stage }: Lease) => void taken.push(stage), onTrouble: expect.unreachable };
  expect(await takeOverAbandoned(place.database, { ...taker, ...hears })).toEqual({ others: true });
  expect(taken).toEqual([]);
  expect((await findRun(place.database, run.id))?.state).toBe("running");
  expect(await stateOf(place.database, lease.task ?? "")).toBe("running");
});

it("where an engine does not answer a run on the host is ended, and one in the engine is not said to be before its agent can be", async () => {
  const { loop, tasks } = await newLoop(place.database, [newTask("a"), newTask("b")]);
  const [onHost, inEngine] = [await startedRun(place.database), await startedRun(place.database)];
  const sandbox = await sandboxes.make(`loop-${loop.id}-shell-1`);
  await sandbox.close();
  await noteRun(place.database, onHost.lease, onHost.run.id, { sandbox: sandbox.name });
  const made = `loop-${loop.id}-shell-2`;
  await noteRun(place.database, inEngine.lease, inEngine.run.id, { sandbox: made });
  recordInEngine(made);
  for (const { id } of tasks) await cancelTask(place.database, id);
  // What was made is where it was made, whatever is set now.
  await place.config.patch({ EXECUTION_ENVIRONMENT: "host" }, "test");
  await endStrayRuns(await withSilentEngine(place));
  const states = [onHost, inEngine].map(async ({ run }) => (await findRun(place.database, run.id))?.state);
  expect(await Promise.all(states)).toEqual(["cancelled", "running"]);
  expect(place.lines).toEqual([expect.stringContaining(`run ${inEngine.run.id}: `)]);
  expect(place.lines[0]).toContain("does not answer");
});

/** As the docker backend does before it makes a container. */
function recordInEngine(name: string): void {
  const { records } = openState(place.folder);
  const id = "of-the-engine";
  records.write({
    version: 1,
    id,
    name,
    containerId: null,
    state: "adopted",
    agent: "shell",
    workspaceKind: "clone",
    workspaces: [],
    repository: null,
    createdAt: new Date().toISOString(),
    adoptedAt: null,
    creatorPid: process.pid,
    engine: "somewhere",
    image: "any",
    carrier: "socket",
    isolation: "separate-uid",
    user: { uid: 1000, gid: 1000, home: "/home/worker" },
    env: {},
    network: defaultNetworkSettings,
    paused: null,
    ports: [],
  });
  records.claimName(name, id);
}
